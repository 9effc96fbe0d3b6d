/** Milliseconds on a clock that all processes of a machine share. */
export function momentMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}
