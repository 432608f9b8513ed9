# ruff: noqa: E501, RUF001 - tables have long lines
"""Labels of other documents of a study than its article: plans, forms, teaching, talks, theses. Pure.

The tables have whole lines, in lower case, with single spaces, like those of `headings.py` for notices and supplements.
A work may itself be of such a kind. Then its title contains the label, and the label is no sign.
"""

from __future__ import annotations

import re

from gateway.core.model import DocumentKind

_FORMS = (
    (
        DocumentKind.NOTICE,
        (
            r"(?:study |trial |research |review |systematic review |clinical (?:trial |study )?)?protocols?(?: article| paper)?"
            r"|(?:stage 1 )?registered reports?(?:\W{1,3}stage 1)?(?: protocol)?|(?:osf )?pre-?registration(?: form)?|study information"
            r"|studienprotokoll|protocole (?:d'étude|de recherche)|protocolo (?:de|do|del) (?:estudio|estudo|investigación|pesquisa)"
            r"|extended abstract|long abstract|position paper abstract|two-page abstract"
            # material of teachers
            r"|teacher'?s?'? (?:guide|manual|edition|notes|resources?)|teaching (?:notes?|guide|materials?)|instructor'?s?'? (?:guide|manual|notes)"
            r"|lesson plans?(?: for .{1,40})?|(?:study|reading|discussion) (?:guide|questions)|questions for discussion|reading notes|work ?sheets?|class activity"
            r"|(?:lehrer(?:handreichung|heft|band)|unterrichts(?:materialien|material|entwurf|einheit)|arbeitsblätter)"
            r"|guide (?:pédagogique|de l'enseignant)|fiche de lecture|guía (?:didáctica|docente|del profesor)|guia do professor|plano de aula"
            r"|методическое пособие|методические указания|教学设计|教案|指導案"
            r"|journal club|article summary|critical appraisal|(?:a |an )?(?:response|reply|rejoinder|comment|commentary|answer) by .{1,60}"
            # plans
            r"|(?:research|project|grant|funding) proposal|project description|forschungsantrag|projekt(?:antrag|skizze)|projet de recherche"
            r"|proyecto de investigación|projeto de pesquisa|заявка на (?:грант|проект)|研究計画書|开题报告"
            # talks
            r"|(?:full |podcast |interview |video )?transcript(?:ion)?|(?:podium|panel) discussion"
            # texts of a candidate about a thesis
            r"|автореферат(?: диссертации.{0,60})?|autorefer[aá]t(?: .{1,60})?|tézisfüzet|(?:phd|doktori) (?:értekezés )?tézise[ik]"
            r"|(?:ph\.?d\.? |doctoral )?(?:thesis|dissertation) (?:summary|abstract|proposal|prospectus|synopsis|defen[cs]e)"
            r"|summary of (?:the |a )?(?:ph\.?d\.? |doctoral )?(?:thesis|dissertation)|resumen de (?:la )?tesis(?: doctoral)?"
            r"|résumé (?:de (?:la )?)?thèse|position de thèse|zusammenfassung der (?:dissertation|doktorarbeit)|doktora tezi özeti"
        ),
    ),
    (
        DocumentKind.SUPPLEMENT,
        (
            r"(?:study |survey |patient |online )?questionnaires?(?: used in the study)?|survey (?:instrument|form|questions)"
            r"|interview (?:guide|schedule|protocol|questions)|(?:informed )?consent form|participant (?:information|consent) (?:sheet|leaflet|form)"
            r"|frage(?:bogen|bögen)|interviewleitfaden|einwilligungserklärung|cuestionarios?|guía de entrevista|consentimiento informado"
            r"|questionários?|roteiro de entrevista|termo de consentimento.{0,40}|questionario|guide d'entretien|formulaire de consentement"
            r"|анкета|опросник|kwestionariusz|ankieta|anket(?: formu)?|调查问卷|问卷|調査票|アンケート用紙|استبانة"
            r"|replication (?:package|materials?|data|files?)(?: for)?|code and data(?: for)?"
        ),
    ),
    (
        DocumentKind.FRONT_MATTER,
        (
            r"(?:conference|workshop|symposium|congress|meeting|final|preliminary|scientific) program(?:me)?|tagungsprogramm|programme du colloque"
            r"|programa (?:del congreso|do congresso|do evento)|программа конференции|会议日程|プログラム"
            r"|(?:course )?syllabus|course (?:outline|description|information)|reading list|plan de cours|(?:seminar|kurs)plan|semesterapparat"
            r"|programa de (?:la )?(?:asignatura|curso|disciplina)|plano de ensino|ementa|рабочая программа(?: дисциплины)?"
            r"|(?:letter|notification|certificate) of (?:acceptance|participation|attendance|presentation)|acceptance letter|invoice(?: .{1,30})?"
            r"|teilnahmebescheinigung|certificado(?: de participación)?|declaração|сертификат участника|katılım belgesi"
            r"|author (?:query|checklist) form|author queries|cover letter|(?:declaration|statement) of (?:authorship|originality|interests?)"
        ),
    ),
    (
        DocumentKind.THESIS,
        (
            r"(?:a|the|an) (?:(?:ph\.? ?d\.?|doctoral|master'?s?|bachelor'?s?|honou?rs|licentiate) )?(?:thesis|dissertation)"
            r"|(?:term|seminar|research|capstone) paper submitted.{0,40}|capstone project|senior (?:thesis|project)|licentiate thesis|course ?work"
            r"|(?:seminar|haus|matura|fach|semester|staatsexamens|zulassungs|magister)arbeit|schriftliche hausarbeit"
            r"|mémoire (?:de recherche|de fin d'études?|de d\.?e\.?a\.?|professionnel)|habilitation à diriger des recherches|travail de bachelor"
            r"|trabalho de conclusão(?: de curso)?(?: \W?tcc\W?)?|monografia de .{1,40}|relatório de estágio"
            r"|trabajo (?:de )?(?:titulación|grado|diploma)|proyecto (?:de )?(?:fin de carrera|grado)|tesina|memoria (?:de|para optar).{1,40}"
            r"|дипломная работа|курсовая работа|бакалаврская работа|магистерская работа|дипломний проект|praca (?:dyplomowa|doktorska|licencjacka).{0,20}"
            r"|bitirme (?:tezi|projesi)|lisans tezi|yüksek lisans|doktora|graduation project"
            r"|本科毕业论文|毕业设计\W?论文\W?|卒業研究(?:報告書)?|修士研究(?:報告書)?|課程論文|رسالة ماجستير|أطروحة دكتوراه"
        ),
    ),
)
FORMS = tuple((kind, re.compile(rf"(?:{pattern})\W{{0,3}}$")) for kind, pattern in _FORMS)

# Names of a retracted article in languages other than English, alone on their line.
RETRACTED = re.compile(
    r"\W{0,3}(?:(?:(?:dieser |der )?(?:artikel|beitrag|aufsatz) (?:wurde )?)?zurückgezogen(?:er artikel|er beitrag)?"
    r"|(?:(?:cet )?article (?:a été )?)?(?:rétracté|retiré)|(?:(?:este )?artículo (?:ha sido )?)?retra[ck]tado|artículo retirado"
    r"|(?:(?:este )?artigo (?:foi )?)?(?:retratado|retraído|despublicado)|(?:articolo )?(?:ritirato|ritrattato)|ingetrokken(?: artikel)?"
    r"|(?:статья )?(?:отозвана|ретрагирована)|ретракция|отозванная статья|(?:artykuł )?wycofany|(?:makale )?geri çekil(?:di|miştir)"
    r"|geri çekil(?:en|miş) makale|撤稿(?:声明|通知|论文)?|已撤稿|(?:论文)?撤回(?:論文|済み|声明)?|取り下げ(?:論文)?|철회(?:된 논문)?"
    r"|(?:مقال|مقالة|بحث) (?:مسحوب|مسحوبة)|سحب المقال)(?:\W.{0,40})?$"
)

# Covers of plagiarism checks: the work may follow, with marks in it.
COMPARED = re.compile(
    r"originality report|similarity (?:index|report)|submission (?:id|date|author)|(?:word|character|page) count ?:|file ?name ?:|turnitin|ithenticate"
    r"|plagiarism|assignment title|urkund|ouriginal|internet sources|primary sources|similaridade|similitud|plagiat"
)
