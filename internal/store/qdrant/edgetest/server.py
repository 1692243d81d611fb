"""The part of Qdrant's gRPC API that internal/store/qdrant uses, over Qdrant's own
engine in this process. For tests only: one node, no authentication, no snapshots.

    python server.py [--data FOLDER] [--port N] [--version V]

It prints "listening on 127.0.0.1:PORT with FOLDER" and ends when its standard input
does. A folder that it chose itself lies in memory where there is room, for the
engine waits for the disk at every index it makes.
"""

import argparse
import json
import pathlib
import shutil
import sys
import tempfile
import threading
from concurrent import futures
from importlib import metadata

import grpc
import qdrant_edge as edge
import translate as to
from qdrant_client import grpc as api


class Refused(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Collection:
    """One collection: a shard of the engine, and the request that made it."""

    def __init__(self, folder, request=None):
        self.folder = folder
        self.writing = threading.Lock()
        about, shard = folder / "request.pb", str(folder / "shard")
        if request is None:
            self.request = api.CreateCollection.FromString(about.read_bytes())
            self.shard = edge.EdgeShard.load(shard)
        else:
            folder.mkdir(parents=True)
            self.request = request
            self.shard = edge.EdgeShard.create(shard, to.config_in(request))
            about.write_bytes(request.SerializeToString())

    def update(self, operation):
        with self.writing:
            self.shard.update(operation)


class Engine:
    """All collections of a folder."""

    def __init__(self, data):
        self.data = pathlib.Path(data)
        self.data.mkdir(parents=True, exist_ok=True)
        self.lock = threading.Lock()
        self.aliases = {}
        if (self.data / "aliases.json").exists():
            self.aliases = json.loads((self.data / "aliases.json").read_text())
        self.collections = {
            f.name: Collection(f)
            for f in self.data.iterdir()
            if (f / "request.pb").exists()
        }

    def get(self, name):
        try:
            return self.collections[self.aliases.get(name, name)]
        except KeyError:
            raise Refused(
                grpc.StatusCode.NOT_FOUND, f"Collection `{name}` doesn't exist!"
            ) from None

    def create(self, request):
        name = request.collection_name
        with self.lock:
            if name in self.collections:
                raise Refused(
                    grpc.StatusCode.ALREADY_EXISTS,
                    f"Collection `{name}` already exists!",
                )
            self.collections[name] = Collection(self.data / name, request)

    def alias(self, actions):
        """All of the actions or none, as the server does it."""
        with self.lock:
            next_ = dict(self.aliases)
            for a in actions:
                match a.WhichOneof("action"):
                    case "create_alias":
                        made = a.create_alias
                        if made.alias_name in self.collections:
                            raise Refused(
                                grpc.StatusCode.INVALID_ARGUMENT,
                                f"Collection `{made.alias_name}` already exists!",
                            )
                        self.get(made.collection_name)
                        next_[made.alias_name] = made.collection_name
                    case "delete_alias":
                        next_.pop(a.delete_alias.alias_name, None)
                    case kind:
                        raise to.Unsupported(f"an alias action of kind {kind}")
            self.aliases = next_
            (self.data / "aliases.json").write_text(json.dumps(next_))

    def delete(self, name):
        with self.lock:
            gone = self.collections.pop(name, None)
            if gone is None:
                return False
            gone.shard.close()
            shutil.rmtree(gone.folder)
            return True

    def close(self):
        for c in self.collections.values():
            c.shard.flush()
            c.shard.close()


def answered(method):
    """Turns what a method raises into the status that Qdrant gives."""

    def call(self, request, context):
        try:
            return method(self, request)
        except Refused as e:
            context.abort(e.code, str(e))
        except to.Unsupported as e:
            context.abort(
                grpc.StatusCode.UNIMPLEMENTED, f"this test server does not speak {e}"
            )
        except Exception as e:  # noqa: BLE001 - the engine raises plain exceptions
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"{e}")

    return call


def only(request, *known):
    """Refuses fields beyond the known ones, for each could change the answer."""
    for descriptor, _ in request.ListFields():
        if descriptor.name not in known:
            raise to.Unsupported(f"{descriptor.name} of {request.DESCRIPTOR.name}")


class Health(api.QdrantServicer):
    def __init__(self, version):
        self.version = version

    @answered
    def HealthCheck(self, request):
        return api.HealthCheckReply(
            title="qdrant - engine under test", version=self.version
        )


class Collections(api.CollectionsServicer):
    def __init__(self, engine):
        self.engine = engine

    @answered
    def Create(self, request):
        self.engine.create(request)
        return api.CollectionOperationResponse(result=True)

    @answered
    def Delete(self, request):
        return api.CollectionOperationResponse(
            result=self.engine.delete(request.collection_name)
        )

    @answered
    def List(self, request):
        names = sorted(self.engine.collections)
        return api.ListCollectionsResponse(
            collections=[api.CollectionDescription(name=n) for n in names]
        )

    @answered
    def UpdateAliases(self, request):
        self.engine.alias(request.actions)
        return api.CollectionOperationResponse(result=True)

    @answered
    def ListAliases(self, request):
        pairs = sorted(self.engine.aliases.items())
        return api.ListAliasesResponse(
            aliases=[
                api.AliasDescription(alias_name=a, collection_name=c) for a, c in pairs
            ]
        )

    @answered
    def CollectionExists(self, request):
        name = request.collection_name
        exists = self.engine.aliases.get(name, name) in self.engine.collections
        return api.CollectionExistsResponse(result=api.CollectionExists(exists=exists))

    @answered
    def Get(self, request):
        c = self.engine.get(request.collection_name)
        about, made = c.shard.info(), c.request
        info = api.CollectionInfo(
            status=api.CollectionStatus.Green,
            segments_count=about.segments_count,
            points_count=about.points_count,
            config=api.CollectionConfig(
                params=api.CollectionParams(
                    shard_number=made.shard_number or 1,
                    on_disk_payload=made.on_disk_payload,
                    vectors_config=made.vectors_config,
                    sparse_vectors_config=made.sparse_vectors_config
                    if made.HasField("sparse_vectors_config")
                    else None,
                    replication_factor=made.replication_factor or 1,
                    write_consistency_factor=made.write_consistency_factor or 1,
                ),
                hnsw_config=made.hnsw_config,
            ),
        )
        for name, index in about.payload_schema.items():
            info.payload_schema[name].data_type = to.INDEX_TYPES[index.data_type]
            info.payload_schema[name].points = index.points
        return api.GetCollectionInfoResponse(result=info)


# The client asks every ten seconds whether its idle connection lives.
PINGS = [
    ("grpc.http2.min_ping_interval_without_data_ms", 1000),
    ("grpc.http2.max_ping_strikes", 0),
]

WRITE = ("collection_name", "wait", "ordering", "timeout")
READ = ("collection_name", "read_consistency", "timeout")


class Points(api.PointsServicer):
    def __init__(self, engine):
        self.engine = engine

    def written(self, request, operation):
        self.engine.get(request.collection_name).update(operation)
        done = api.UpdateResult(operation_id=0, status=api.UpdateStatus.Completed)
        return api.PointsOperationResponse(result=done)

    @answered
    def CreateFieldIndex(self, request):
        only(request, *WRITE, "field_name", "field_type", "field_index_params")
        return self.written(
            request,
            edge.UpdateOperation.create_field_index(
                request.field_name, to.index_in(request)
            ),
        )

    @answered
    def DeleteFieldIndex(self, request):
        only(request, *WRITE, "field_name")
        return self.written(
            request, edge.UpdateOperation.delete_field_index(request.field_name)
        )

    @answered
    def Upsert(self, request):
        only(request, *WRITE, "points", "update_filter")
        condition = (
            to.filter_in(request.update_filter)
            if request.HasField("update_filter")
            else None
        )
        points = [to.point_in(p) for p in request.points]
        return self.written(
            request, edge.UpdateOperation.upsert_points(points, condition)
        )

    @answered
    def Delete(self, request):
        only(request, *WRITE, "points")
        ids, condition = to.selector_in(request.points)
        if ids is not None:
            return self.written(request, edge.UpdateOperation.delete_points(ids))
        return self.written(
            request, edge.UpdateOperation.delete_points_by_filter(condition)
        )

    @answered
    def SetPayload(self, request):
        only(request, *WRITE, "payload", "points_selector")
        ids, condition = to.selector_in(request.points_selector)
        payload = to.payload_in(request.payload)
        if ids is not None:
            return self.written(request, edge.UpdateOperation.set_payload(ids, payload))
        return self.written(
            request, edge.UpdateOperation.set_payload_by_filter(condition, payload)
        )

    @answered
    def Get(self, request):
        only(request, *READ, "ids", "with_payload", "with_vectors")
        found = self.engine.get(request.collection_name).shard.retrieve(
            [to.id_in(p) for p in request.ids],
            to.with_payload(request.with_payload, True),
            to.with_vectors(request.with_vectors),
        )
        out = api.GetResponse()
        for p in found:
            to.point_out(p, out.result.add())
        return out

    @answered
    def Scroll(self, request):
        only(
            request,
            *READ,
            "filter",
            "offset",
            "limit",
            "with_payload",
            "with_vectors",
            "order_by",
        )
        found, following = self.engine.get(request.collection_name).shard.scroll(
            edge.ScrollRequest(
                offset=to.id_in(request.offset) if request.HasField("offset") else None,
                limit=request.limit if request.HasField("limit") else 10,
                filter=to.filter_in(request.filter)
                if request.HasField("filter")
                else None,
                with_payload=to.with_payload(request.with_payload, True),
                with_vector=to.with_vectors(request.with_vectors),
                order_by=to.order_in(request.order_by)
                if request.HasField("order_by")
                else None,
            )
        )
        out = api.ScrollResponse()
        for p in found:
            into = out.result.add()
            to.point_out(p, into)
            to.order_out(p.order_value, into.order_value)
        if following is not None:
            out.next_page_offset.CopyFrom(to.id_out(following))
        return out

    @answered
    def Query(self, request):
        only(
            request,
            *READ,
            "query",
            "prefetch",
            "using",
            "filter",
            "params",
            "limit",
            "with_payload",
            "with_vectors",
        )
        found = self.engine.get(request.collection_name).shard.query(
            edge.QueryRequest(
                limit=request.limit if request.HasField("limit") else 10,
                query=to.query_in(request.query, request.using),
                prefetches=[to.prefetch_in(p) for p in request.prefetch] or None,
                filter=to.filter_in(request.filter)
                if request.HasField("filter")
                else None,
                with_payload=to.with_payload(request.with_payload, False),
                with_vector=to.with_vectors(request.with_vectors),
                params=edge.SearchParams(exact=request.params.exact),
            )
        )
        out = api.QueryResponse()
        for p in found:
            into = out.result.add()
            to.point_out(p, into)
            into.score = p.score
        return out

    @answered
    def Count(self, request):
        only(request, *READ, "filter", "exact")
        n = self.engine.get(request.collection_name).shard.count(
            edge.CountRequest(
                exact=True,
                filter=to.filter_in(request.filter)
                if request.HasField("filter")
                else None,
            )
        )
        return api.CountResponse(result=api.CountResult(count=n))


class ReadOnly(grpc.ServerInterceptor):
    """Refuses writes as a server does that was given a key for reading alone."""

    writes = (
        "Create",
        "Delete",
        "UpdateAliases",
        "CreateFieldIndex",
        "DeleteFieldIndex",
        "Upsert",
        "SetPayload",
    )

    def intercept_service(self, continuation, details):
        if details.method.rsplit("/", 1)[1] not in self.writes:
            return continuation(details)

        def refuse(request, context):
            context.abort(
                grpc.StatusCode.PERMISSION_DENIED,
                "Forbidden: Global manage access is required",
            )

        return grpc.unary_unary_rpc_method_handler(refuse)


MEMORY, ROOM = pathlib.Path("/dev/shm"), 2 << 30


def new_folder():
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= ROOM
    return tempfile.mkdtemp(prefix="qdrant-edge-", dir=MEMORY if roomy else None)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", help="folder of the collections; without it a new one"
    )
    parser.add_argument("--port", type=int, default=0, help="0 for a free one")
    parser.add_argument(
        "--version",
        default=metadata.version("qdrant-client"),
        help="the version to claim",
    )
    parser.add_argument("--read-only", action="store_true", help="refuse writes")
    args = parser.parse_args()

    data = args.data or new_folder()
    engine = Engine(data)
    server = grpc.server(
        futures.ThreadPoolExecutor(max_workers=8),
        interceptors=[ReadOnly()] if args.read_only else [],
        options=[
            ("grpc.max_receive_message_length", -1),
            ("grpc.max_send_message_length", -1),
            ("grpc.so_reuseport", 0),
            *PINGS,
        ],
    )
    api.add_QdrantServicer_to_server(Health(args.version), server)
    api.add_CollectionsServicer_to_server(Collections(engine), server)
    api.add_PointsServicer_to_server(Points(engine), server)
    port = server.add_insecure_port(f"127.0.0.1:{args.port}")
    server.start()
    print(f"listening on 127.0.0.1:{port} with {data}", flush=True)
    sys.stdin.read()
    server.stop(grace=1).wait()
    engine.close()


if __name__ == "__main__":
    main()
