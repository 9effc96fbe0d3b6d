// The entry `flags-sdk/neutral`: what the core of flags-proxy needs of the client, on every JavaScript runtime. It may change
// in every version.

export { TimeSlicer } from "./scheduling/time-slicer.ts";
export { AGE_HEADER, writeAge, writeAgeComment } from "./transport/confirmation.ts";
