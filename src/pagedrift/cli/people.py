"""The commands `pagedrift people …`: accounts, roles, invitations and passwords."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pagedrift.app.model.people import ROLES, checked_role
from pagedrift.cli.common import answer_json, json_option
from pagedrift.cli.installation import opened, with_data

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings

FORMAT = 1
role_choice = click.Choice(ROLES)


@click.group(short_help="List, invite and remove the people who use an installation.")
def people() -> None:
    """Manage the accounts of an installation.

    Without any, one password is enough. An owner may do everything, an editor changes watches, rules and alerts, a
    reader changes nothing.

    \b
    Examples:
      pagedrift people list
      pagedrift people invite --role editor
      pagedrift people password owner
    """


@people.command("list")
@json_option
@with_data
def list_(as_json: bool, settings: Settings) -> None:
    """List the accounts, oldest first.

    \b
    Examples:
      pagedrift people list
      pagedrift people list --json
    """
    from pagedrift.app.store import people as accounts
    from pagedrift.dates import iso_moment

    with opened(settings) as store:
        found = accounts.every(store)
    for person in found:
        if as_json:
            since = iso_moment(person.created_at)
            data = {"id": person.id, "name": person.name, "role": person.role, "created_at": since}
            answer_json({"v": FORMAT, **data, "has_password": person.has_password})
        else:
            click.echo(f"{person.role:8} {person.name}{'' if person.has_password else '  (no password)'}")


@people.command()
@click.option("--role", type=role_choice, default="reader", show_default=True, help="What the person may do.")
@click.option(
    "--public-url",
    default="",
    envvar="PAGEDRIFT_PUBLIC_URL",
    show_envvar=True,
    help="Address of the installation, for the link.",
)
@with_data
def invite(role: str, public_url: str, settings: Settings) -> None:
    """Print a link by which one person can join; it works once, for seven days.

    \b
    Examples:
      pagedrift people invite --role editor
    """
    from pagedrift.app.store import people as accounts
    from pagedrift.app.web import auth
    from pagedrift.errors import InputError

    with opened(settings) as store:
        if not accounts.are_protected(store):
            raise InputError("set a password for yourself first; run: pagedrift people password owner")
        path = auth.invite(store, checked_role(role))
    click.echo(f"{public_url.rstrip('/') or settings.base_url}{path}")


@people.command("role")
@click.argument("name")
@click.argument("role", type=role_choice)
@with_data
def role_(name: str, role: str, settings: Settings) -> None:
    """Change what somebody may do; the last owner stays one.

    \b
    Examples:
      pagedrift people role anna editor
    """
    from pagedrift.app.store import people as accounts

    with opened(settings) as store:
        accounts.set_role(store, accounts.chosen(store, name).id, checked_role(role))
    click.echo(f"{name} is now {role}", err=True)


@people.command()
@click.argument("name")
@click.argument("new_name")
@with_data
def rename(name: str, new_name: str, settings: Settings) -> None:
    """Change the name by which somebody logs in.

    \b
    Examples:
      pagedrift people rename owner anna
    """
    from pagedrift.app.store import people as accounts

    with opened(settings) as store:
        accounts.rename(store, accounts.chosen(store, name).id, new_name)
    click.echo(f"{name} is now {new_name}", err=True)


@people.command()
@click.argument("name")
@with_data
def remove(name: str, settings: Settings) -> None:
    """Remove an account with its sessions, tokens and read marks; the last owner stays.

    \b
    Examples:
      pagedrift people remove anna
    """
    from pagedrift.app.store import people as accounts

    with opened(settings) as store:
        accounts.remove(store, accounts.chosen(store, name).id)
    click.echo(f"removed {name}", err=True)


@people.command()
@click.argument("name")
@with_data
def password(name: str, settings: Settings) -> None:
    """Set somebody's password, for example one that was forgotten, and log them out everywhere.

    \b
    Examples:
      pagedrift people password owner
    """
    from pagedrift.app.store import people as accounts
    from pagedrift.app.web import auth

    with opened(settings) as store:
        person = accounts.chosen(store, name)
        given = click.prompt("New password", hide_input=True, confirmation_prompt=True, err=True)
        auth.set_password(store, given, person.id)
    click.echo(f"the password of {person.name} was set", err=True)
