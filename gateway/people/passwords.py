"""Passwords, stored as hashes of Argon2id (RFC 9106). A hash takes 19 MiB and some hundredths of a second."""

from __future__ import annotations

from threading import BoundedSemaphore
from typing import Final
from unicodedata import normalize

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from gateway.errors import ConfigurationError, StoreBusy

SHORTEST: Final = 10
LONGEST: Final = 1_000  # characters; a longer text would only cost time
# The least that OWASP recommends (Password Storage Cheat Sheet, 2025): several may be checked at the same time.
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
_AT_ONCE: Final = BoundedSemaphore(2)  # in one process
_WAIT_SECONDS: Final = 2.0
# The hash of a random text that nobody knows: a name without a user costs as much as one with a user.
NOBODY: Final = "$argon2id$v=19$m=19456,t=2,p=1$PGCSxTbHXJxQRARVI5nQVg$zfp9cttX8G5e+vzh48XrUbJnbhsZoKhOfcDVaykg8sw"


def hash_of(password: str) -> str:
    """Return the hash of a new password. Raise ConfigurationError if it is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise ConfigurationError(f"A password must have {SHORTEST} to {LONGEST} characters. Choose another one.")
    return _HASHER.hash(_bytes(password))


def is_password(password: str, stored: str) -> bool:
    """Return whether a password is that of a hash. Raise StoreBusy if too many are being checked."""
    if not _AT_ONCE.acquire(timeout=_WAIT_SECONDS):
        raise StoreBusy("Too many passwords are being checked. Try again in a minute.")
    try:
        return _HASHER.verify(stored, _bytes(password[: LONGEST + 1]))
    except (VerificationError, InvalidHashError):
        return False
    finally:
        _AT_ONCE.release()


def _bytes(password: str) -> bytes:
    """Return the bytes of a password: the same ones, however a keyboard writes an accent (RFC 8265 §4.2)."""
    return normalize("NFC", password).encode("utf-8", "surrogatepass")
