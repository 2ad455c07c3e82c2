"""Makes `mkdocs build` quicker where memshelf is installed; without it the same site is built.

MkDocs takes the HTML of pages apart only to leave it as it is. Here it gets the pages without it.
"""

try:
    from memshelf.render.site_form import parted, whole
except ImportError:
    pass
else:
    _blocks = {}

    def on_page_markdown(markdown, page, **_):
        """Keep the parts that are HTML already."""
        text, _blocks[page.file.src_uri] = parted(markdown)
        return text

    def on_page_content(html, page, **_):
        """Put them where they belong."""
        return whole(html, _blocks.pop(page.file.src_uri, ()))
