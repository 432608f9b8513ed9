"""Labels that documents other than the article have beside the title of the work, in many languages.

Rules are developed on those at even places. Those at odd places are held back.
"""

from __future__ import annotations

# Of short documents: above or below the title.
SHORT = (
    # reviews of the manuscript
    "Open Peer Review Report", "Review History", "Reviewer Recommendation and Comments", "Publons Peer Review Report",
    "Editorial Assessment", "Evaluation by the Editors", "Report of Referee B", "Reviewers and Responses",
    "Fagfellevurdering", "Recenzja artykułu", "Gutachten zum Manuskript", "Stellungnahme der Gutachter",
    "Rapport d'évaluation", "Avis des relecteurs", "Informe de los evaluadores", "Dictamen editorial", "Parere dei revisori",
    "Parecer dos avaliadores", "Granskningsutlåtande", "Vertaisarvio", "Beoordelingsrapport", "Recenzní posudek",
    "Bírálati lap", "Hakem değerlendirme raporu", "Рецензия на рукопись", "Отзыв рецензента", "Έκθεση κριτή", "同行评议报告", "审稿意见",
    "査読コメント", "논문 심사 의견서", "تقرير التحكيم",
    # supplements
    "Multimedia component 1", "Appendix A", "Annex B", "Attachment 2", "File S1", "Web-only material", "Extended Data",
    "Expanded View Figures", "Vedlegg 1", "Bilaga 2", "Bilag A", "Liite 1", "Załącznik nr 1", "Załącznik 2", "Anhang A", "Anlage 1",
    "Annexe A", "Annexe méthodologique", "Anexo I", "Anexo metodológico", "Allegato A", "Appendice B", "Bijlage 1", "Bijlage C", "Příloha č. 1", "Příloha A",
    "1. számú melléklet", "B melléklet", "Ek 1", "Ek-A", "Приложение 1", "Приложение А", "Παράρτημα Α", "附录A", "付録A", "補遺", "부록 A", "ملحق 1",
    # plans, forms, checklists
    "Reporting checklist", "Data management plan", "PRISMA 2020 Checklist", "Ethics approval letter", "STROBE Statement: checklist of items",
    "Statistical analysis plan", "Informed consent", "Case report form", "Sjekkliste for rapportering", "Datahåndteringsplan", "Datenmanagementplan",
    "Checkliste der Berichterstattung", "Plan de gestion de données", "Grille de lecture", "Plan de gestión de datos", "Lista de verificación",
    "Piano di gestione dei dati", "Lista di controllo", "Plano de gestão de dados", "Lista de checagem", "Aineistonhallintasuunnitelma", "Kyselylomake",
    "Enkät", "Datahanteringsplan", "Vragenlijst", "Datamanagementplan", "Dotazník", "Plán správy dat", "Kérdőív", "Adatkezelési terv", "Anket soruları",
    "Veri yönetim planı", "План управления данными", "Контрольный список", "Ερωτηματολόγιο", "Σχέδιο διαχείρισης δεδομένων", "数据管理计划", "知情同意书", "質問紙", "データ管理計画", "설문지", "데이터 관리 계획", "استبيان", "خطة إدارة البيانات",
    # for the public, for teachers, for politics
    "Policy brief", "Teaching note", "Questionnaire for participants", "Media backgrounder", "Fact sheet", "Key messages", "Blog post", "Infographic",
    "Lecture notes", "Classroom handout", "Exercise sheet", "Solutions to exercises", "Briefing paper for parliament", "At a glance", "Frequently asked questions", "Interview with the authors",
    "Notat til departementet", "Pressemelding", "Komunikat prasowy", "Notatka dla decydentów", "Kurzfassung für die Politik", "Faktenblatt", "Medieninformation", "Handreichung für den Unterricht",
    "Note de synthèse", "Note aux décideurs", "Dossier de presse", "Fiche pédagogique", "Nota de política", "Hoja informativa", "Ficha didáctica", "Resumen ejecutivo",
    "Scheda didattica", "Sintesi per i decisori", "Nota à imprensa", "Sumário executivo", "Pressmeddelande", "Faktablad", "Tiedote", "Politiikkasuositus",
    "Beleidsnotitie", "Lesbrief", "Tisková zpráva", "Metodický list", "Sajtóközlemény", "Óravázlat", "Basın bülteni", "Politika notu", "Пресс-релиз", "Аналитическая записка", "Δελτίο τύπου", "Σύνοψη πολιτικής",
    "新闻稿", "政策简报", "報道発表資料", "講義資料", "보도자료", "정책 브리프", "بيان صحفي", "موجز سياسات",
    # talks and others
    "Slides of the talk", "Presentation handout", "Speaker notes", "Abstract submission", "Conference talk", "Webinar material", "Graphical summary", "Highlights for readers",
    "Grant report", "Progress report", "Deliverable D3.2", "Minutes of the project meeting", "Code documentation", "User manual", "Table of revisions", "Marked-up manuscript",
)  # fmt: skip

# Of long ones: theses, and reports of students and projects.
LONG = (
    "Masteroppgave i geofag, 60 studiepoeng", "Bacheloroppgave i sykepleie", "Doktorgradsavhandling, Det matematisk-naturvitenskapelige fakultet", "Hovedfagsoppgave",
    "Praca magisterska napisana pod kierunkiem prof. dr hab. J. Nowaka", "Praca inżynierska przygotowana w Katedrze Informatyki", "Rozprawa na stopień doktora", "Praca dyplomowa na kierunku Filologia",
    "Inaugural-Dissertation zur Erlangung der Doktorwürde der Philosophischen Fakultät", "Wissenschaftliche Prüfungsarbeit für das Lehramt an Gymnasien", "Von der Fakultät genehmigte Abhandlung", "Diplomarbeit im Studiengang Physik",
    "Final report of the project", "Final year project report submitted to the Department of Physics", "End of studies project", "Undergraduate research project report", "Third-year project", "Capstone report, Spring semester",
    "Mémoire de fin d'études en vue de l'obtention du diplôme d'ingénieur", "Rapport de stage de deuxième année", "Thèse d'exercice en médecine", "Travail de fin d'études",
    "Trabajo de grado para optar al título de ingeniero", "Memoria de prácticas", "Proyecto final de carrera", "Trabajo de investigación para la Licenciatura",
    "Elaborato finale di laurea triennale", "Tesina di maturità", "Relazione di tirocinio", "Prova finale, corso di laurea in Lettere",
    "Dissertação para obtenção do grau de mestre", "Relatório final de projeto", "Projeto de graduação", "Trabalho final de mestrado",
    "Examensarbete, 30 hp", "Självständigt arbete på grundnivå", "Magisteruppsats i sociologi", "C-uppsats vårterminen",
    "Pro gradu -tutkielma", "Diplomityö", "Kandidaatintutkielma", "Lisensiaatintyö",
    "Afstudeerverslag", "Masterscriptie Geschiedenis", "Eindwerk voorgedragen tot het behalen van de graad", "Bachelorscriptie Psychologie",
    "Závěrečná práce", "Rigorózní práce", "Habilitační práce", "Seminární práce",
    "OTDK dolgozat", "Záródolgozat", "MSc diplomaterv", "Egyetemi doktori értekezés",
    "Bitirme ödevi", "Mezuniyet projesi raporu", "Yüksek lisans dönem projesi", "Uzmanlık tezi",
    "Отчёт по научно-исследовательской работе", "Выпускная работа магистра", "Отчет о практике", "Квалификационная работа",
    "Πτυχίο στη Φυσική: εργασία", "Μεταπτυχιακή εργασία ειδίκευσης", "Εργασία εξαμήνου", "Πτυχιακή μελέτη",
    "实习报告", "课题结题报告", "卒業制作報告", "課題研究レポート", "졸업 작품 보고서", "석사학위 청구논문", "مشروع تخرج", "بحث مقدم لنيل درجة الماجستير",
)  # fmt: skip

# Written after the rules, and never used to develop them.
LATER_SHORT = (
    "Reviewer Scorecard", "Signed Reports from the Panel", "Community Feedback", "Open Discussion Thread", "Meta-review", "Camera-ready Checks", "Area Chair Decision", "Votum der Jury", "Compte rendu de lecture", "Evaluación ciega",
    "Scheda di valutazione", "Ficha de avaliação", "Arbeidsbok", "Arbetsmaterial", "Työohje", "Karta pracy", "Karta oceny", "Pracovní list", "Munkalap", "Çalışma kağıdı", "Рабочая тетрадь", "Карточка эксперта", "Φύλλο εργασίας", "学生手册", "評価シート", "활동지", "ورقة عمل",
    "Electronic annexes", "Companion material", "Methods details", "Technical Companion", "Robustness checks and proofs", "Omitted proofs", "Source data", "Video captions", "Raw blots", "Tilleggsmateriale", "Kompletterande material", "Täydentävä aineisto", "Materiały dodatkowe", "Doplňující materiály",
    "Kiegészítő anyag", "Ek materyal", "Дополнительные материалы", "Συμπληρωματικό υλικό", "补充信息", "補足情報", "보충 자료", "مواد إضافية", "Matériel additionnel", "Material complementario", "Materiali integrativi", "Material adicional", "Aanvullend materiaal", "Ergänzungen",
    "Trial registration record", "Declaration of helpers", "Codebook and variables", "Search strategy", "Data extraction form", "Risk of bias tables", "Interview topics", "Søkestrategi", "Suchstrategie", "Stratégie de recherche", "Estrategia de búsqueda", "Hakustrategia", "Strategia wyszukiwania", "检索策略",
    "Two-page summary for ministers", "Evidence snapshot", "Story for the newspaper", "Newsletter item", "Podcast episode 12", "Radio script", "Public engagement sheet", "For teachers and parents", "Unterrichtsidee", "Kurz erklärt", "En bref", "Lo esencial", "In breve", "Em poucas palavras", "I korthet", "Lyhyesti", "W skrócie", "Stručně", "Röviden", "Özetle", "Коротко о главном", "Με λίγα λόγια", "一分钟读懂", "まとめ資料", "한눈에 보기", "باختصار",
    "Keynote", "Panel contribution", "Oral contribution 14B", "Backup frames", "Demo script", "Tender document", "Milestone M4", "Work package 2", "Change log", "Response memo", "Copyedited tracking file", "Proof corrections",
)  # fmt: skip
LATER_LONG = (
    "Semesteroppgave i statsvitenskap", "Fordypningsprosjekt", "Praca zaliczeniowa z socjologii", "Praca semestralna", "Facharbeit im Leistungskurs Erdkunde", "Projektbericht der Studierenden", "Kumulative Habilitationsschrift vorgelegt an der Medizinischen Fakultät", "Projet tuteuré, deuxième année", "Rapport d'alternance", "Mémoire de DEA",
    "Proyecto de título", "Informe de pasantía", "Lavoro di diploma", "Progetto di fine corso", "Monografia apresentada ao curso de Geografia", "Trabalho de licenciatura", "Fördjupningsarbete", "Licentiatavhandling i teologi", "Maisterintutkinnon työ", "Seminaarityö", "Stageverslag", "Profielwerkstuk", "Absolventská práce", "Ročníková práce",
    "Szigorlati dolgozat", "Gyakorlati beszámoló", "Lisans bitirme çalışması", "Staj raporu", "Курсовой проект", "Реферат по дисциплине", "Εργασία σεμιναρίου", "Αναφορά πρακτικής", "大学生创新项目报告", "課程設計", "修了レポート", "학사 졸업 연구", "تقرير التدريب الميداني", "Honours project", "Independent study, fall term", "Report of a summer internship",
)  # fmt: skip
