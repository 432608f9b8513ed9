"""`/healthz` and `/readyz`, for supervisors and load balancers. The answers reveal nothing about the instance."""

import logging

from flask import Blueprint, Response

from gateway.core.errors import GatewayError
from gateway.store.base import Store

log = logging.getLogger("gateway.probes")


def blueprint(store: Store) -> Blueprint:
    """Return the Flask blueprint: `/healthz` always answers 200, `/readyz` 503 if the store cannot be read."""
    blueprint = Blueprint("probes", __name__)

    @blueprint.get("/healthz")
    def healthz() -> Response:
        return _answer(200, "This process answers.")

    @blueprint.get("/readyz")
    def readyz() -> Response:
        try:
            with store.view() as view:
                view.formats()
        except GatewayError as error:
            log.warning("/readyz answered 503: %s `gateway check` checks the instance.", error)
            return _answer(503, "The repository cannot answer now.")
        return _answer(200, "The repository can answer.")

    return blueprint


def _answer(status: int, sentence: str) -> Response:
    return Response(f"{sentence}\n", status, {"Cache-Control": "no-store"}, content_type="text/plain; charset=UTF-8")
