"""What a fault is made of: when it strikes, and what it does to a question or an answer of the provider."""

import base64
import hmac
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from gateway.core.errors import ConnectionFailed
from tests.validate.provider import Provider


@dataclass(frozen=True)
class Fault:
    """What makes `check` fail: settings of the provider, and what it does to questions and answers."""

    check: str
    settings: dict[str, Any] = field(default_factory=dict)
    edit: Callable | None = None
    send: Callable | None = None
    answers: Callable | None = None
    prepare: Callable | None = None

    def provider(self) -> Provider:
        hooks = {"edit": self.edit, "send": self.send, "answers": self.answers}
        provider = Provider(**self.settings, **{name: hook for name, hook in hooks.items() if hook is not None})  # type: ignore[arg-type]
        if self.prepare is not None:
            self.prepare(provider)
        return provider


# --- when a fault strikes ---------------------------------------------------------------------------------------


def asks(verb, *present, absent=(), method=None):
    """Strike at this verb when these arguments are there and those are not."""
    return lambda asked: (
        asked.verb == verb
        and set(present) <= asked.arguments.keys()
        and not set(absent) & asked.arguments.keys()
        and method in (None, asked.method)
    )


def junk(asked):
    """Strike at the question `verb=junk`, whose answer no other check looks into."""
    return asked.verb == "junk" and asked.method == "GET"


def always(_):
    return True


def whole(verb):
    """Strike at the whole list, its first answer and those of its tokens."""
    return asks(verb, absent=("from", "until", "set"))


def point(verb, *, days=False, **arguments):
    """Strike at from = until, as days or as seconds."""

    def strikes(asked):
        from_ = asked.arguments.get("from", "")
        is_point = bool(from_) and from_ == asked.arguments.get("until") and (len(from_) == 10) is days
        return asked.verb == verb and is_point and arguments.items() <= asked.arguments.items()

    return strikes


def within(*, from_=None, until=None):
    """Strike when from and until lie between two dates; None: when the argument is not there."""

    def strikes(asked):
        wanted = {"from": from_, "until": until}
        return all(
            key not in asked.arguments if bounds is None else bounds[0] < asked.arguments.get(key, "") < bounds[1]
            for key, bounds in wanted.items()
        )

    return strikes


def token_of(verb):
    return lambda asked: verb in _decoded(asked.arguments.get("resumptionToken", ""))


def _decoded(token):
    text = token.partition(".")[0]
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("latin-1")
    except ValueError:
        return ""


def is_forged(asked):
    text, _, signature = asked.arguments.get("resumptionToken", "").partition(".")
    return bool(signature) and hmac.digest(b"key", text.encode(), "sha256").hex() != signature


# --- what it does ----------------------------------------------------------------------------------------------


def changed(old, new, when=always):
    """Replace text in the document."""
    return lambda asked, text: text.replace(old, new) if when(asked) else text


def rewritten(pattern, new, when=always):
    return lambda asked, text: re.sub(pattern, new, text) if when(asked) else text


def refused(code, when, *, holding=""):
    """Put an error in the place of the content."""
    error = f'<error code="{code}">No.</error>'

    def edit(asked, text):
        if not when(asked) or holding not in text:
            return text
        if code == "badArgument":
            text = re.sub("<request[^>]*>", "<request>", text)
        return re.sub(r"(</request>).*(</OAI-PMH>)", rf"\g<1>{error}\g<2>", text)

    return edit


def instead(pairs, when):
    """Answer another question."""
    return lambda asked: pairs if when(asked) else None


def sent(when, **changes):
    """Change the HTTP answer: `content_type`, `status`, `url`, `body`."""

    def send(asked, fetched):
        if not when(asked):
            return fetched
        content_type = changes.get("content_type")
        headers = tuple(
            (key, content_type if content_type and key == "Content-Type" else value) for key, value in fetched.headers
        )
        return replace(fetched, headers=headers, **{k: v for k, v in changes.items() if k != "content_type"})

    return send


def broken(when):
    def send(asked, fetched):
        if when(asked):
            raise ConnectionFailed("The connection broke.")
        return fetched

    return send


def encoded_as(accepted, given):
    def send(asked, fetched):
        if asked.headers.get("Accept-Encoding") != accepted:
            return fetched
        headers = tuple(pair for pair in fetched.headers if pair[0] != "Content-Encoding")
        return replace(fetched, headers=(*headers, *((("Content-Encoding", given),) if given else ())))

    return send


def items(change):
    """Change the items of the provider."""

    def prepare(provider):
        provider.items = change(provider.items)

    return prepare


def sets(change):
    def prepare(provider):
        provider.sets = change(provider.sets)

    return prepare
