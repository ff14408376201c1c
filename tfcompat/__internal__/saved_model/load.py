"""`tf.__internal__.saved_model.load`: classes of objects in SavedModels, which libraries register."""

from tfcompat._saved_model.objects.revival import (
    VersionedTypeRegistration,
    get_setter,
    register_revived_type,
    registered_identifiers,
)

__all__ = ["VersionedTypeRegistration", "get_setter", "register_revived_type", "registered_identifiers"]
