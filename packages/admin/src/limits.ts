/** Maximum numbers of resources. Beyond these, the documents for SDKs or the lists in the console would become too large. */
export const LIMITS = {
  features: 5000,
  projects: 500,
  linksPerProject: 10,
  environments: 50,
  segments: 300,
  /** Of the strategies and variants of all flags. With segments and names, proxies accept up to 64 MiB. */
  environmentBytes: 16 * 1024 * 1024,
  strategiesPerEnvironment: 30,
  constraintsPerStrategy: 30,
  /** Except long lists, see `OPERATORS_WITH_LONG_LISTS`: other operators compare with one value after the other. */
  valuesPerConstraint: 250,
  valuesPerSegment: 10_000,
  /** Of its constraints in UTF-8. */
  segmentBytes: 1024 * 1024,
  /** Of the constraints of all segments, which lists of segments contain. */
  allSegmentsBytes: 32 * 1024 * 1024,
  segmentsPerStrategy: 5,
  /** For sizes of patterns, see `estimatePatternSize()`. Compiling the patterns of a file takes about a second. */
  patternSizePerList: 3000,
  patternSizePerFile: 200_000,
  linksPerFeature: 10,
  /** Each of them can receive a few notifications at a time. */
  addons: 50,
  contextFields: 500,
  legalValuesPerContextField: 10_000,
  /** Of all context fields. */
  legalValues: 100_000,
  apiTokens: 2000,
  /** In a list of sessions. There can be more. */
  listedSessions: 10_000,
  /** About 3 KiB for each flag, with the maximum number of flags. */
  importBytes: 16 * 1024 * 1024,
  /** Lists and objects in a body of the maximum size. Each takes up to 60 times the memory of its text. */
  partsPerBody: 1_000_000,
  /** Lists and objects in a body that is so short that its memory does not matter. */
  partsPerShortBody: 10_000,
  applications: 10_000,
  openRequestsPerProject: 500,
  changesPerRequest: 100,
  commentsPerRequest: 1000,
  streams: 10_000,
  changeStreams: 1000,
  changeStreamsPerCaller: 20,
} as const;
