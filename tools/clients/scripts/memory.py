"""Ten typed calls of server-memory."""

import asyncio
import sys

from memory import MemoryClient
from memory.models.add_observations import Observation
from memory.models.create_entities import Entity
from memory.models.create_relations import Relation
from memory.models.delete_observations import Deletion
from memory.models.delete_relations import Relation as OldRelation
from toolgen.runtime.errors import InvalidRequestError


async def main(folder: str, *server: str) -> None:
    async with MemoryClient.connect(server, env={"MEMORY_FILE_PATH": f"{folder}/graph"}) as client:
        made = await client.create_entities(
            entities=[
                Entity(name="Ann", entity_type="person", observations=["drinks tea"]),
                Entity(name="Tea", entity_type="drink", observations=[]),
            ]
        )
        assert [each.name for each in made.entities] == ["Ann", "Tea"]
        relation = Relation(from_="Ann", to="Tea", relation_type="likes")
        assert (await client.create_relations(relations=[relation])).relations[0].to == "Tea"
        added = await client.add_observations(
            observations=[Observation(entity_name="Tea", contents=["is hot"])]
        )
        assert added.results[0].added_observations == ["is hot"]
        graph = await client.read_graph()
        assert len(graph.entities) == 2
        assert graph.relations[0].relation_type == "likes"
        nodes = await client.search_nodes(query="hot")
        assert [each.name for each in nodes.entities] == ["Tea"]
        opened = await client.open_nodes(names=["Ann"])
        assert opened.entities[0].observations == ["drinks tea"]
        await client.delete_observations(deletions=[Deletion(entity_name="Tea", observations=["is hot"])])
        gone = OldRelation(from_="Ann", to="Tea", relation_type="likes")
        await client.delete_relations(relations=[gone])
        left = await client.delete_entities(entity_names=["Ann", "Tea"])
        assert left.success
        try:
            await client.open_nodes(names=[7])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
        except InvalidRequestError:
            print("10 calls, the last one refused")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
