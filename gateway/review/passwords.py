"""Passwords, stored as hashes of Argon2id (RFC 9106). A hash takes 19 MiB and some hundredths of a second."""

from threading import BoundedSemaphore
from typing import Final
from unicodedata import category, normalize

from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import InvalidHashError, VerificationError

from gateway.core.errors import ConfigurationError, StoreBusy

SHORTEST: Final = 10
LONGEST: Final = 1_000  # characters; a longer text would only cost time
# The least that OWASP recommends (Password Storage Cheat Sheet, 2025): several may be checked at the same time.
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
_AT_ONCE: Final = BoundedSemaphore(2)  # in one process
_WAIT_SECONDS: Final = 2.0
_LONGEST_TYPED: Final = 4 * LONGEST  # a letter with accents can be several characters; no user has a longer password
_UNTYPED: Final = ("Cc", "Cs")
_BOM: Final = "\ufeff"  # some programs write it at the beginning of a file
# The hash of a random text that nobody knows: a name without a user costs as much as one with a user.
NOBODY: Final = "$argon2id$v=19$m=19456,t=2,p=1$PGCSxTbHXJxQRARVI5nQVg$zfp9cttX8G5e+vzh48XrUbJnbhsZoKhOfcDVaykg8sw"


def hash_of(password: str) -> str:
    """Return the hash of a new password.

    Raise ConfigurationError if it is too short or too long, or has characters that nobody can type on a page.
    """
    prepared = _prepared(password)
    if not SHORTEST <= len(prepared) <= LONGEST:
        raise ConfigurationError(f"A password must have {SHORTEST} to {LONGEST} characters. Choose another one.")
    if any(category(character) in _UNTYPED or character == _BOM for character in prepared):
        raise ConfigurationError("A password cannot have control characters. Choose another one.")
    return _HASHER.hash(prepared.encode())


def is_hash(stored: str) -> bool:
    """Return whether a text is the hash of a password."""
    try:
        extract_parameters(stored)
    except InvalidHashError:
        return False
    return True


def is_password(password: str, stored: str) -> bool:
    """Return whether a password is that of a hash. Raise StoreBusy if too many are being checked."""
    if not _AT_ONCE.acquire(timeout=_WAIT_SECONDS):
        raise StoreBusy("Too many passwords are being checked. Try again in a minute.")
    try:
        return _HASHER.verify(stored, _prepared(password)[: LONGEST + 1].encode("utf-8", "surrogatepass"))
    except (VerificationError, InvalidHashError):
        return False
    finally:
        _AT_ONCE.release()


def _prepared(password: str) -> str:
    """Return a password as it is hashed: the same, however a keyboard writes accents and spaces (RFC 8265 §4.2)."""
    composed = normalize("NFC", password[: _LONGEST_TYPED + 1])
    return "".join(" " if category(character) == "Zs" else character for character in composed)
