// The messages of OTLP that tests read. Field numbers are those of opentelemetry-proto.

export type Signal = "traces" | "metrics" | "logs";

type Attributes = Readonly<Record<string, unknown>>;

export interface ExportedSpan {
  readonly resource: Attributes;
  readonly attributes: Attributes;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** 2: server, 3: client. */
  readonly kind: number;
  /** 2: error. */
  readonly statusCode: number;
}

export interface ExportedPoint {
  readonly attributes: Attributes;
  /** The value, or the sum of a histogram. */
  readonly value: number;
  readonly count: number | undefined;
  readonly bounds: readonly number[];
  readonly bucketCounts: readonly number[];
}

export interface ExportedMetric {
  readonly resource: Attributes;
  readonly name: string;
  readonly type: "gauge" | "sum" | "histogram";
  readonly points: readonly ExportedPoint[];
}

export interface ExportedLog {
  readonly resource: Attributes;
  readonly attributes: Attributes;
  readonly traceId: string;
  readonly spanId: string;
  readonly severityText: string;
  readonly eventName: string;
  readonly body: unknown;
}

export interface Exported {
  readonly traces: ExportedSpan[];
  readonly metrics: ExportedMetric[];
  readonly logs: ExportedLog[];
}

interface Message {
  readonly signal: Signal;
  readonly bytes: Buffer;
  readonly isJson: boolean;
}

/** Adds the content of a request to what has been exported. */
export function decodeOtlp(exported: Exported, { signal, bytes, isJson }: Message): void {
  const message = isJson
    ? (JSON.parse(bytes.toString()) as Fields)
    : decode(bytes, { ...REQUEST[signal] });
  const [ofResource, ofScope, records] = LEVELS[signal];
  for (const group of list(message[ofResource])) {
    const resource = toAttributes((group["resource"] as Fields | undefined)?.["attributes"]);
    for (const record of list(group[ofScope]).flatMap((scope) => list(scope[records]))) {
      if (signal === "traces") exported.traces.push(toSpan(record, resource));
      else if (signal === "logs") exported.logs.push(toLog(record, resource));
      else exported.metrics.push(toMetric(record, resource));
    }
  }
}

type Fields = Readonly<Record<string, unknown>>;

const LEVELS = {
  traces: ["resourceSpans", "scopeSpans", "spans"],
  metrics: ["resourceMetrics", "scopeMetrics", "metrics"],
  logs: ["resourceLogs", "scopeLogs", "logRecords"],
} as const;

function toSpan(span: Fields, resource: Attributes): ExportedSpan {
  return {
    resource,
    attributes: toAttributes(span["attributes"]),
    traceId: toText(span["traceId"]),
    spanId: toText(span["spanId"]),
    parentSpanId: toText(span["parentSpanId"]),
    name: toText(span["name"]),
    kind: Number(span["kind"]),
    statusCode: Number((span["status"] as Fields | undefined)?.["code"] ?? 0),
  };
}

function toLog(log: Fields, resource: Attributes): ExportedLog {
  return {
    resource,
    attributes: toAttributes(log["attributes"]),
    traceId: toText(log["traceId"]),
    spanId: toText(log["spanId"]),
    severityText: toText(log["severityText"]),
    eventName: toText(log["eventName"]),
    body: toValue(log["body"]),
  };
}

function toMetric(metric: Fields, resource: Attributes): ExportedMetric {
  const type = (["gauge", "sum", "histogram"] as const).find((name) => metric[name] !== undefined);
  if (type === undefined) throw new Error(`${toText(metric["name"])} has an unknown type`);
  return {
    resource,
    name: toText(metric["name"]),
    type,
    points: list((metric[type] as Fields)["dataPoints"]).map((point) => ({
      attributes: toAttributes(point["attributes"]),
      value: Number(point["asDouble"] ?? point["asInt"] ?? point["sum"]),
      count: point["count"] === undefined ? undefined : Number(point["count"]),
      bounds: (point["explicitBounds"] as readonly number[] | undefined) ?? [],
      bucketCounts: ((point["bucketCounts"] as readonly unknown[] | undefined) ?? []).map(Number),
    })),
  };
}

function toAttributes(attributes: unknown): Attributes {
  const pairs = list(attributes).map(({ key, value }) => [toText(key), toValue(value)] as const);
  return Object.fromEntries(pairs);
}

function toValue(value: unknown): unknown {
  const [content] = Object.values((value ?? {}) as Fields);
  return content;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function list(value: unknown): readonly Fields[] {
  return (value ?? []) as readonly Fields[];
}

/** The type of a field. A message in a list: the list may be empty, or the field repeated. */
type Type =
  | "text"
  | "hex"
  | "integer"
  | "boolean"
  | "fixed64"
  | "double"
  | "fixed64s"
  | "doubles"
  | Schema
  | readonly [Schema];

/** Fields by their numbers. Others are skipped. */
type Schema = Readonly<Record<number, readonly [name: string, type: Type]>>;

const VALUE: Schema = {
  1: ["stringValue", "text"],
  2: ["boolValue", "boolean"],
  3: ["intValue", "integer"],
  4: ["doubleValue", "double"],
};
const ATTRIBUTES: Type = [{ 1: ["key", "text"], 2: ["value", VALUE] }];
const RESOURCE: Type = { 1: ["attributes", ATTRIBUTES] };

const SPAN: Schema = {
  1: ["traceId", "hex"],
  2: ["spanId", "hex"],
  4: ["parentSpanId", "hex"],
  5: ["name", "text"],
  6: ["kind", "integer"],
  9: ["attributes", ATTRIBUTES],
  15: ["status", { 3: ["code", "integer"] }],
};
const LOG: Schema = {
  3: ["severityText", "text"],
  5: ["body", VALUE],
  6: ["attributes", ATTRIBUTES],
  9: ["traceId", "hex"],
  10: ["spanId", "hex"],
  12: ["eventName", "text"],
};
const NUMBERS: Schema = {
  1: [
    "dataPoints",
    [{ 4: ["asDouble", "double"], 6: ["asInt", "fixed64"], 7: ["attributes", ATTRIBUTES] }],
  ],
};
const HISTOGRAM: Schema = {
  1: [
    "dataPoints",
    [
      {
        4: ["count", "fixed64"],
        5: ["sum", "double"],
        6: ["bucketCounts", "fixed64s"],
        7: ["explicitBounds", "doubles"],
        9: ["attributes", ATTRIBUTES],
      },
    ],
  ],
};
const METRIC: Schema = {
  1: ["name", "text"],
  5: ["gauge", NUMBERS],
  7: ["sum", NUMBERS],
  9: ["histogram", HISTOGRAM],
};

function requestOf(signal: Signal, record: Schema): Schema {
  const [ofResource, ofScope, records] = LEVELS[signal];
  const scope: Type = [{ 2: [records, [record]] }];
  return { 1: [ofResource, [{ 1: ["resource", RESOURCE], 2: [ofScope, scope] }]] };
}

const REQUEST: Readonly<Record<Signal, Schema>> = {
  traces: requestOf("traces", SPAN),
  metrics: requestOf("metrics", METRIC),
  logs: requestOf("logs", LOG),
};

const WIRE_VARINT = 0;
const WIRE_64_BITS = 1;
const WIRE_BYTES = 2;

/** Decodes a message in the wire format of protobuf. */
function decode(bytes: Buffer, schema: Schema): Fields {
  const fields: Record<string, unknown> = {};
  let offset = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes.readUInt8(offset);
      offset += 1;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  const readBytes = (length: number): Buffer => {
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  const readContent = (wireType: number): Buffer | number => {
    if (wireType === WIRE_VARINT) return readVarint();
    if (wireType === WIRE_64_BITS) return readBytes(8);
    if (wireType === WIRE_BYTES) return readBytes(readVarint());
    return readBytes(4);
  };
  while (offset < bytes.length) {
    const tag = readVarint();
    const content = readContent(tag % 8);
    const field = schema[Math.floor(tag / 8)];
    if (field === undefined) continue;
    const [name, type] = field;
    const value = toField(content, type);
    fields[name] = Array.isArray(type) ? [...list(fields[name]), value] : value;
  }
  return fields;
}

function toField(content: Buffer | number, type: Type): unknown {
  if (typeof content === "number") return type === "boolean" ? content === 1 : content;
  switch (type) {
    case "text":
      return content.toString();
    case "hex":
      return content.toString("hex");
    case "fixed64":
      return Number(content.readBigInt64LE());
    case "double":
      return content.readDoubleLE();
    case "fixed64s":
      return chunks(content).map((chunk) => Number(chunk.readBigInt64LE()));
    case "doubles":
      return chunks(content).map((chunk) => chunk.readDoubleLE());
    case "integer":
    case "boolean":
      throw new Error("A varint was expected");
    default:
      return decode(content, Array.isArray(type) ? (type[0] as Schema) : (type as Schema));
  }
}

function chunks(bytes: Buffer): readonly Buffer[] {
  return Array.from({ length: bytes.length / 8 }, (_, index) =>
    bytes.subarray(8 * index, 8 * index + 8),
  );
}
