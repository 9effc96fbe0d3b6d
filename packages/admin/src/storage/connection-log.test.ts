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

test("connections that are lost again and again are logged once a minute, a long outage at once", () => {
  const lines: string[] = [];
  let now = 0;
  const log = new ConnectionLog({ warn: (line) => lines.push(line) }, () => now);
  const lose = (outageMs: number): void => {
    log.listenerLost("Terminated");
    now += outageMs;
    log.reopened();
  };
  for (let index = 0; index < 10; index++) lose(1000);
  const lost = "A connection to the database was lost and will be replaced: Terminated";
  const again = (seconds: number) => `The database is available again after ${seconds} s`;
  expect(lines).toEqual([lost, again(1)]);

  // Its beginning is not logged, since another one began shortly before.
  lose(10_000);
  expect(lines.slice(2)).toEqual([again(10)]);
  lose(1000);
  expect(lines.slice(3)).toEqual([lost, again(1)]);
  now += 60_000;
  lose(1000);
  expect(lines.slice(5)).toEqual([lost, again(1)]);
});
