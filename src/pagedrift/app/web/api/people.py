"""API routes for people: accounts, their roles, and invitations."""

from __future__ import annotations

from fastapi import APIRouter, Request

from pagedrift.app.model.people import Person
from pagedrift.app.store import people
from pagedrift.app.web import auth
from pagedrift.app.web.api.schemas import InvitationLink, People, PersonState, RoleChoice
from pagedrift.app.web.api.shared import PREFIX, Id
from pagedrift.app.web.request_context import app_origin, settings_of, store_of
from pagedrift.errors import InputError

router = APIRouter(prefix=PREFIX)


@router.get("/people")
def list_people(request: Request) -> People:
    """List the accounts; this needs the role of an owner."""
    return People(people=[_state(each) for each in people.every(store_of(request))])


@router.post("/people", status_code=201)
def invite(request: Request, given: RoleChoice) -> InvitationLink:
    """Make the link of an invitation, which one person can use once, for seven days."""
    store, settings = store_of(request), settings_of(request)
    if not people.are_protected(store) and not settings.signs_on:
        raise InputError("set a password first; it is under Settings")
    path = auth.invite(store, given.role)
    return InvitationLink(link=f"{app_origin(settings)}{path}", role=given.role)


@router.patch("/people/{id}")
def change_role(request: Request, id: Id, given: RoleChoice) -> PersonState:  # noqa: A002
    """Change the role of an account; the last owner stays one."""
    store = store_of(request)
    people.set_role(store, id, given.role)
    request.app.state.doorkeeper.forget()
    return _state(people.get(store, id))


@router.delete("/people/{id}", status_code=204)
def remove_person(request: Request, id: Id) -> None:  # noqa: A002
    """Remove an account with its sessions, tokens and read marks; the last owner stays."""
    people.remove(store_of(request), id)
    request.app.state.doorkeeper.forget()


def _state(person: Person) -> PersonState:
    return PersonState(
        id=person.id,
        name=person.name,
        role=person.role,
        created_at=person.created_at,
        has_password=person.has_password,
    )
