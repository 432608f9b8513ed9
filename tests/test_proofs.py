"""Every proof of the list exists, and has the variables that the command sets."""

from __future__ import annotations

from click.testing import CliRunner

from tests.proofs import PROOFS, ROOT, main


def test_every_proof_of_the_list_reads_its_variables() -> None:
    listed = CliRunner().invoke(main).output
    for name, proof in PROOFS.items():
        assert name in listed
        folder = (ROOT / "tests" / proof.tests).parent
        text = "".join(file.read_text("utf-8") for file in folder.glob("*.py"))
        assert not proof.cases or f'"{proof.cases}"' in text, name
