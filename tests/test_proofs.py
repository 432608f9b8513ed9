"""Every proof of the list exists, and has the variables that the command sets."""

from click.testing import CliRunner

from tests.proofs import PROOFS, ROOT, main


def test_every_proof_of_the_list_reads_its_variables() -> None:
    listed = CliRunner().invoke(main).output
    for name, proof in PROOFS.items():
        assert name in listed
        folder = (ROOT / "tests" / proof.tests).parent
        text = "".join(file.read_text("utf-8") for file in folder.glob("*.py"))
        assert [words for words in (f'"{proof.cases}"', "from tests.seeds import SEED") if words not in text] == []
