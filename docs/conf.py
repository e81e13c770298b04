"""Settings of the documentation build: `make docs`."""

from __future__ import annotations

from importlib.metadata import version as version_of

project = "formgate"
author = "formgate contributors"
copyright = "formgate contributors"
release = version_of("formgate")
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "alabaster"
html_theme_options = {
    "description": "Exact constrained decoding",
    "fixed_sidebar": True,
    "page_width": "1100px",
}
