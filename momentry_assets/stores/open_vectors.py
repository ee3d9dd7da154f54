"""The vector index that the settings ask for."""

from momentry_assets.settings import Settings
from momentry_assets.stores.vectors import VectorIndex


def open_vector_index(settings: Settings) -> VectorIndex:
    """The server at ``MOMENTRY_QDRANT_URL``, or without one the embedded index in the home folder.

    Raises:
        StoreError: the server cannot be reached.
    """
    if settings.qdrant_url:
        from momentry_assets.stores.qdrant_server_index import QdrantServerIndex

        return QdrantServerIndex.connect(settings.qdrant_url, settings.qdrant_api_key)
    from momentry_assets.stores.qdrant_edge_index import QdrantEdgeIndex

    return QdrantEdgeIndex(settings.home / "qdrant")
