"""`harvester review precision`: how often the rules accept the right file, as people have judged a random sample."""

from __future__ import annotations

from time import time

import click

from gateway.fulltext.precision import precisions_of, since
from gateway.program import say
from harvester.commands.discover import searching
from harvester.commands.output import json_option, write_json

_SETTING = "review_accept_score"


@click.command()
@json_option
@click.pass_context
def precision(ctx: click.Context, as_json: bool) -> None:
    """Show how often each rule accepts the right file, with the interval (95 %).

    People judge a random sample of each month on the page /review/sample. The judgements of the last year count.
    """
    with searching(ctx.obj) as (instance, desk):
        score = instance.settings.share(_SETTING)
        for figures in precisions_of(desk.samples.judgements(since(int(time())))):
            if as_json:
                write_json({**figures._asdict(), "words": figures.words, _SETTING: score})
            else:
                click.echo(f"{figures.rule}: {figures.words}")
    say(f"The setting {_SETTING} is {score:g}.")
