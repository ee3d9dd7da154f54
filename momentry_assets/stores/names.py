"""Names of generations: one vector index a collection and content key."""

from momentry_assets.sources.walk import partition_key


def generation_name(collection: str, generation: str) -> str:
    """Name of a collection's vector index: partition key and generation."""
    return f"{partition_key(collection)}-{generation}"


def partition_of(name: str) -> str:
    """The partition key in a generation's name."""
    return name.rsplit("-", 1)[0]
