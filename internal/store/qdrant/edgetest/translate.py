"""Between the messages of Qdrant's gRPC API and the types of its engine.

Only what internal/store/qdrant sends is known here; anything else is Unsupported,
so that a test never passes because a condition was left out.
"""

from uuid import UUID

import qdrant_edge as edge
from google.protobuf.timestamp_pb2 import Timestamp
from qdrant_client import grpc as api


class Unsupported(Exception):
    """A part of the API that this server does not speak."""


# Payloads


def payload_in(fields):
    return {key: value_in(v) for key, v in fields.items()}


def value_in(v):
    kind = v.WhichOneof("kind")
    match kind:
        case "null_value" | None:
            return None
        case "struct_value":
            return payload_in(v.struct_value.fields)
        case "list_value":
            return [value_in(x) for x in v.list_value.values]
        case _:
            return getattr(v, kind)


def payload_out(payload, into):
    for key, v in (payload or {}).items():
        value_out(v, into[key])


def value_out(v, into):
    match v:
        case None:
            into.null_value = 0
        case bool():
            into.bool_value = v
        case int():
            into.integer_value = v
        case float():
            into.double_value = v
        case str():
            into.string_value = v
        case dict():
            into.struct_value.SetInParent()
            payload_out(v, into.struct_value.fields)
        case list():
            into.list_value.SetInParent()
            for x in v:
                value_out(x, into.list_value.values.add())


# Ids and vectors


def id_in(p):
    return UUID(p.uuid) if p.WhichOneof("point_id_options") == "uuid" else p.num


def id_out(p):
    return api.PointId(num=p) if isinstance(p, int) else api.PointId(uuid=str(p))


def vector_in(v, oneof="vector"):
    kind = v.WhichOneof(oneof)
    if kind == "dense":
        return list(v.dense.data)
    if kind == "sparse":
        return edge.SparseVector(list(v.sparse.indices), list(v.sparse.values))
    if kind == "multi_dense":
        return [list(x.data) for x in v.multi_dense.vectors]
    if kind is None and oneof == "vector" and v.data:  # the field of older clients
        return list(v.data)
    raise Unsupported(f"a vector of kind {kind}")


def vectors_in(v):
    kind = v.WhichOneof("vectors_options")
    if kind is None:
        return {}
    if kind == "vector":
        return vector_in(v.vector)
    return {name: vector_in(x) for name, x in v.vectors.vectors.items()}


def vectors_out(vectors, into):
    if vectors is None:
        return
    if isinstance(vectors, list):
        into.vector.dense.data.extend(vectors)
        return
    into.vectors.SetInParent()
    for name, values in vectors.items():
        vector_out(values, into.vectors.vectors[name])


def vector_out(values, into):
    if isinstance(values, edge.SparseVector):
        into.sparse.indices.extend(values.indices)
        into.sparse.values.extend(values.values)
    elif values and isinstance(values[0], list):
        for v in values:
            into.multi_dense.vectors.add().data.extend(v)
    else:
        into.dense.data.extend(values)


# Queries


def query_in(q, using):
    """A nearest or a fusion; None where there is neither."""
    kind = q.WhichOneof("variant")
    if kind is None:
        return None
    if kind == "nearest":
        return edge.Query.Nearest(vector_in(q.nearest, "variant"), using=using or None)
    if kind == "fusion" and q.fusion == api.Fusion.RRF:
        return edge.Fusion.Rrf(k=2)
    if kind == "fusion" and q.fusion == api.Fusion.DBSF:
        return edge.Fusion.Dbsf()
    raise Unsupported(f"a query of kind {kind}")


def prefetch_in(p):
    if p.prefetch or p.HasField("score_threshold") or p.HasField("lookup_from"):
        raise Unsupported("a prefetch with more than a query and a filter")
    return edge.Prefetch(
        limit=p.limit if p.HasField("limit") else 10,
        query=query_in(p.query, p.using),
        filter=filter_in(p.filter) if p.HasField("filter") else None,
        params=edge.SearchParams(exact=p.params.exact),
    )


def point_in(p):
    return edge.Point(id_in(p.id), vectors_in(p.vectors), payload_in(p.payload))


def point_out(p, into):
    into.id.CopyFrom(id_out(p.id))
    payload_out(p.payload, into.payload)
    vectors_out(p.vector, into.vectors)


def order_out(v, into):
    if isinstance(v, int):
        into.int = v
    elif v is not None:
        into.float = v


# What of a point to give


def with_payload(s, absent):
    match s.WhichOneof("selector_options"):
        case "enable":
            return s.enable
        case "include":
            return list(s.include.fields)
        case "exclude":
            return edge.PayloadSelector.Exclude(list(s.exclude.fields))
    return absent


def with_vectors(s):
    match s.WhichOneof("selector_options"):
        case "enable":
            return s.enable
        case "include":
            return list(s.include.names)
    return False


# Filters


def filter_in(f):
    if f.HasField("min_should"):
        raise Unsupported("min_should")
    return edge.Filter(
        must=[condition(c) for c in f.must] or None,
        should=[condition(c) for c in f.should] or None,
        must_not=[condition(c) for c in f.must_not] or None,
    )


def condition(c):
    kind = c.WhichOneof("condition_one_of")
    match kind:
        case "field":
            return field(c.field)
        case "is_empty":
            return edge.IsEmptyCondition(c.is_empty.key)
        case "is_null":
            return edge.IsNullCondition(c.is_null.key)
        case "has_id":
            return edge.HasIdCondition({id_in(p) for p in c.has_id.has_id})
        case "has_vector":
            return edge.HasVectorCondition(c.has_vector.has_vector)
        case "filter":
            return filter_in(c.filter)
    raise Unsupported(f"a condition of kind {kind}")


BOUNDS = ("lt", "gt", "gte", "lte")


def field(f):
    if f.HasField("match"):
        return edge.FieldCondition(f.key, match=match_in(f.match))
    if f.HasField("range"):
        bounds = {b: getattr(f.range, b) for b in BOUNDS if f.range.HasField(b)}
        return edge.FieldCondition(f.key, range=edge.RangeFloat(**bounds))
    if f.HasField("datetime_range"):
        bounds = {
            b: rfc3339(getattr(f.datetime_range, b))
            for b in BOUNDS
            if f.datetime_range.HasField(b)
        }
        return edge.FieldCondition(f.key, range=edge.RangeDateTime(**bounds))
    raise Unsupported(f"the condition on {f.key}")


def rfc3339(t: Timestamp) -> str:
    return t.ToJsonString()


def match_in(m):
    kind = m.WhichOneof("match_value")
    match kind:
        case "keyword" | "integer" | "boolean":
            return edge.MatchValue(getattr(m, kind))
        case "keywords":
            return edge.MatchAny(list(m.keywords.strings))
        case "integers":
            return edge.MatchAny(list(m.integers.integers))
        case "except_keywords":
            return edge.MatchExcept(list(m.except_keywords.strings))
        case "except_integers":
            return edge.MatchExcept(list(m.except_integers.integers))
    raise Unsupported(f"a match of kind {kind}")


def order_in(o):
    start = None
    kind = o.start_from.WhichOneof("value") if o.HasField("start_from") else None
    if kind in ("float", "integer"):
        start = getattr(o.start_from, kind)
    elif kind is not None:
        raise Unsupported(f"start_from of kind {kind}")
    direction = (
        edge.Direction.Desc if o.direction == api.Direction.Desc else edge.Direction.Asc
    )
    return edge.OrderBy(o.key, direction, start)


def selector_in(s):
    """A selector's ids, or else its filter."""
    if s.WhichOneof("points_selector_one_of") == "points":
        return [id_in(p) for p in s.points.ids], None
    return None, filter_in(s.filter)


# Collections

DISTANCES = {
    api.Distance.Cosine: edge.Distance.Cosine,
    api.Distance.Euclid: edge.Distance.Euclid,
    api.Distance.Dot: edge.Distance.Dot,
    api.Distance.Manhattan: edge.Distance.Manhattan,
}


def vector_params(p):
    several = None
    if p.HasField("multivector_config"):
        several = edge.MultiVectorConfig(edge.MultiVectorComparator.MaxSim)
    return edge.EdgeVectorParams(
        size=p.size, distance=DISTANCES[p.distance], multivector_config=several
    )


def sparse_params(p):
    modifier = edge.Modifier.Idf if p.modifier == api.Modifier.Idf else None
    return edge.EdgeSparseVectorParams(modifier=modifier)


def config_in(c):
    kind = c.vectors_config.WhichOneof("config")
    if kind == "params":
        vectors = vector_params(c.vectors_config.params)
    else:
        vectors = {
            name: vector_params(p)
            for name, p in c.vectors_config.params_map.map.items()
        }
    hnsw = c.hnsw_config
    return edge.EdgeConfig(
        vectors=vectors,
        sparse_vectors={
            name: sparse_params(p) for name, p in c.sparse_vectors_config.map.items()
        },
        on_disk_payload=c.on_disk_payload,
        hnsw_config=edge.HnswIndexConfig(
            m=hnsw.m if hnsw.HasField("m") else 16,
            ef_construct=hnsw.ef_construct or 100,
            full_scan_threshold=hnsw.full_scan_threshold or 10000,
            payload_m=hnsw.payload_m if hnsw.HasField("payload_m") else None,
        ),
    )


def index_in(r):
    kind = r.field_index_params.WhichOneof("index_params")
    match r.field_type:
        case api.FieldType.FieldTypeKeyword:
            p = r.field_index_params.keyword_index_params
            return edge.KeywordIndexParams(is_tenant=p.is_tenant)
        case api.FieldType.FieldTypeInteger:
            if kind is None:
                return edge.IntegerIndexParams(lookup=True, range=True)
            p = r.field_index_params.integer_index_params
            return edge.IntegerIndexParams(lookup=p.lookup, range=p.range)
        case api.FieldType.FieldTypeDatetime:
            return edge.DatetimeIndexParams()
    raise Unsupported(f"an index of type {r.field_type}")


INDEX_TYPES = {
    edge.PayloadSchemaType.Keyword: api.PayloadSchemaType.Keyword,
    edge.PayloadSchemaType.Integer: api.PayloadSchemaType.Integer,
    edge.PayloadSchemaType.Datetime: api.PayloadSchemaType.Datetime,
}
