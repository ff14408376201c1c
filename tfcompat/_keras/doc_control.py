"""Decorators of libraries that say where the generated documentation has a method; they change nothing."""

from __future__ import annotations

from typing import TypeVar

_T = TypeVar("_T")


def unchanged(obj: _T) -> _T:
    """`obj`.

    Source: TF 2.21, `do_not_doc_inheritable`, `do_not_generate_docs`, `doc_in_current_and_subclasses` and
      `for_subclass_implementers` of `tensorflow.tools.docs.doc_controls`.
    """
    return obj
