/** Longer metrics take more than 50 ms to write. The proxy reaches this length with the usage of 1,000 flags by 3 applications. */
const LONG_TEXT_LENGTH = 512 * 1024;

/** Shorter than the intervals at which metrics are usually collected. */
const REUSE_MS = 5000;

/**
 * Lets concurrent requests share one reading of the metrics, and all requests within five seconds a long one: anyone can
 * request metrics, and writing long ones delays other requests.
 */
export function coalesceReadings(
  read: () => Promise<string>,
  nowMs: () => number = () => performance.now(),
): () => Promise<string> {
  let reading: Promise<string> | undefined;
  let long: { readonly text: string; readonly readAtMs: number } | undefined;
  const readNow = async (): Promise<string> => {
    const text = await read();
    long = text.length > LONG_TEXT_LENGTH ? { text, readAtMs: nowMs() } : undefined;
    return text;
  };
  return async () => {
    if (long !== undefined && nowMs() - long.readAtMs < REUSE_MS) return long.text;
    reading ??= readNow().finally(() => (reading = undefined));
    return reading;
  };
}
