import { expect, test } from "vitest";
import { ConnectionLog } from "./connection-log.ts";

test("an outage is one line when it begins and one when it ends", () => {
  const lines: string[] = [];
  let now = 0;
  const log = new ConnectionLog({ warn: (line) => lines.push(line) }, () => now);
  log.reopened();
  log.lost("Terminated");
  for (let index = 0; index < 6; index++) log.lost("Terminated");
  log.listenerLost("Terminated");
  now += 29_500;
  log.lost("Refused");
  log.reopened();
  log.reopened();
  const lost = "A connection to the database was lost and will be replaced";
  const again = "The database is available again after";
  expect(lines).toEqual([`${lost}: Terminated`, `${again} 30 s`]);

  log.listenerLost("Terminated");
  now += 60_000;
  log.lost("Refused");
  log.reopened();
  expect(lines.slice(2)).toEqual([`${lost}: Terminated`, `${lost}: Refused`, `${again} 60 s`]);
});
