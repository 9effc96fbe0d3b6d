/** Starts tasks at the same time. Returns in how many different turns of the event loop they end. */
export async function countTurns(tasks: readonly (() => Promise<unknown>)[]): Promise<number> {
  let turn = 0;
  let isRunning = true;
  const count = (): void => {
    turn += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  const ends = await Promise.all(
    tasks.map(async (task) => {
      await task();
      return turn;
    }),
  );
  isRunning = false;
  return new Set(ends).size;
}
