"""The people who may sign in to the review, for `gateway user` and `gateway check`; and their passwords."""

import logging
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from threading import BoundedSemaphore
from typing import Final
from unicodedata import category, normalize

from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import InvalidHashError, VerificationError

from gateway.core.addresses import is_loopback, site_url
from gateway.core.errors import ConfigurationError, GatewayError, StoreBusy
from gateway.core.instance import key
from gateway.core.model import Account, Deed, LogLine, Role, User, name_key
from gateway.core.settings import Settings
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.decisions import RULE
from gateway.fulltext.log_completion import complete, whoever_calls
from gateway.review.throttle import FAILURES, Throttle
from gateway.store.base import Databases, Store, Users

_SOURCE: Final = re.compile(r"[a-z0-9-]{1,32}")
_LONGEST_NAME: Final = 64
_NO_USER: Final = "There is no user {!r}; `gateway user list` shows all."


def check_user(user: User) -> None:
    """Raise ConfigurationError if a name cannot be that of a user, or if the sources do not fit the role."""
    name = user.name
    if not name.isprintable() or name != " ".join(name.split()) or not 1 <= len(name) <= _LONGEST_NAME:
        raise ConfigurationError(
            f"{name!r} cannot be a name. Use 1 to {_LONGEST_NAME} letters, digits and signs, with single spaces."
        )
    if name_key(name) == RULE or name.startswith("-"):
        raise ConfigurationError(f"{name!r} cannot be the name of a user. Choose another one.")
    if (user.role is Role.MANAGER) != bool(user.sources):
        raise ConfigurationError("A manager needs the --source to manage, once for each; other roles have none.")
    for source in user.sources:
        if not _SOURCE.fullmatch(source):
            raise ConfigurationError(f"{source!r} is no name of a source; `harvester source list` shows all.")


def add(settings: Settings, user: User, password: str) -> None:
    """Add a user. Raise ConfigurationError if the name is taken or something is wrong, and StoreError."""
    check_user(user)
    stored = hash_of(password)
    about = f"{user.name}, {user.role}{'' if not user.sources else ' of ' + ', '.join(user.sources)}"
    with closing(_open(settings)) as users:
        if not users.add(user, stored, _line(Deed.ADDED, about)):
            raise ConfigurationError(f"There is a user {user.name!r} already. Choose another name.")


def set_password(settings: Settings, name: str, password: str) -> str:
    """Set a new password, which ends all sessions; return the name as it is stored.

    Raise ConfigurationError if there is no such user or the password is wrong, and StoreError.
    """
    stored = hash_of(password)
    with closing(_open(settings)) as users:
        account = _account(users, name)
        if not users.set_password(name, stored, _line(Deed.PASSWORD, account.user.name)):
            raise ConfigurationError(_NO_USER.format(name))
        Throttle(users, key(settings, FAILURES)).forget(name)
    return account.user.name


def remove(settings: Settings, name: str) -> str:
    """Remove a user, which ends all sessions; return the name as it was stored.

    Raise ConfigurationError if there is no such user, and StoreError.
    """
    with closing(_open(settings)) as users:
        account = _account(users, name)
        if not users.remove(name, _line(Deed.REMOVED, account.user.name)):
            raise ConfigurationError(_NO_USER.format(name))
    return account.user.name


def known(settings: Settings) -> list[dict[str, object]]:
    """Return the facts of all users. Raise ConfigurationError without an instance, and StoreError."""
    with closing(_open(settings)) as users:
        return [facts_of(account) for account in users.all()]


def facts_of(account: Account) -> dict[str, object]:
    """Return the object of `gateway user list --json`. The password is not in it."""
    user = account.user
    return {
        "name": user.name,
        "role": user.role.value,
        "sources": list(user.sources),
        "added_at": utc_datetime(account.added_at),
        "signed_in_at": utc_datetime(account.signed_in_at) if account.signed_in_at else None,
    }


def log(settings: Settings, before: int, limit: int) -> list[dict[str, object]]:
    """Return the facts of lines of the log, the newest first. Raise as `known`."""
    with closing(_open(settings)) as users:
        try:
            complete(settings, users)
        except GatewayError as error:
            logging.getLogger("gateway").warning("The log may lack decisions and takedowns: %s", error)
        lines = users.log(before, limit)
    return [
        {
            "number": line.number,
            "at": utc_datetime(line.at),
            "by": line.by,
            "deed": line.deed.value,
            "about": line.about,
            "network": line.network,
        }
        for line in lines
    ]


def doubts(settings: Settings, store: Store) -> Iterator[str]:
    """Yield a warning for whatever keeps users from signing in or deciding. Raise StoreError."""
    with closing(Databases(settings).users()) as users:
        accounts = users.all()
        unusable = [one.user.name for one in accounts if not is_hash(one.password) or users.find(one.user.name) != one]
    if not accounts:
        return
    for name in unusable:
        yield f"Nobody can sign in as {name!r}: the stored password is damaged. `gateway user password` sets a new one."
    base_url = settings.text("base_url")
    url = site_url(base_url, settings.text("pages_url")) if base_url else "http://localhost"
    if not url.startswith("https:") and not is_loopback(url):
        yield (
            f"Nobody can sign in at {url}/review: browsers send the cookie only by https. Set base_url or pages_url to "
            "an https address."
        )
    if url.startswith("https:") and not settings.text("serve_trusted_proxies"):
        yield (
            f"All people at {url}/review share one network, that of the proxy: five failures of anybody slow all of "
            "them down. Set serve_trusted_proxies to the address of the proxy."
        )
    with store.view() as view:
        names = {source.name for source in view.sources() if not source.is_removed}
    for account in accounts:
        if unknown := set(account.user.sources) - names:
            yield f"The user {account.user.name!r} manages sources that are not here: {', '.join(sorted(unknown))}."


def count(settings: Settings) -> int:
    """Return how many users there are. Raise StoreError."""
    with closing(Databases(settings).users()) as users:
        return len(users.all())


def words(facts: dict[str, object]) -> str:
    """Return the facts of a user as a line for people."""
    sources = facts["sources"]
    of = f" of {', '.join(sources)}" if isinstance(sources, Sequence) and sources else ""
    return f"{facts['name']}  {facts['role']}{of}  last sign-in: {facts['signed_in_at'] or 'never'}"


def _account(users: Users, name: str) -> Account:
    account = users.find(name)
    if account is None:
        raise ConfigurationError(_NO_USER.format(name))
    return account


def _open(settings: Settings) -> Users:
    if not settings.instance.is_dir():
        raise ConfigurationError(f"There is no instance in {settings.instance}; `gateway init` makes one.")
    return Databases(settings).users()


def _line(deed: Deed, about: str) -> LogLine:
    return LogLine(int(time.time()), f"{whoever_calls()} on the command line", deed, about)


# --- Passwords, stored as hashes of Argon2id (RFC 9106): a hash takes 19 MiB and some hundredths of a second ---------

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
