import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, onTestFinished, test } from "vitest";
import { refetch } from "./refetch.ts";

test("data is refetched if its first response may have been prepared before the change", async () => {
  const respond: ((text: string) => void)[] = [];
  const client = new QueryClient();
  const observer = new QueryObserver(client, {
    queryKey: ["list"],
    queryFn: () => new Promise<string>((resolve) => respond.push(resolve)),
  });
  onTestFinished(observer.subscribe(() => undefined));
  expect(respond).toHaveLength(1);

  const fetching = refetch(client, ["list"]);
  respond[0]?.("before the change");
  await expect.poll(() => respond.length).toBe(2);
  expect(observer.getCurrentResult().data).toBe("before the change");
  respond[1]?.("after the change");
  await fetching;
  expect(observer.getCurrentResult().data).toBe("after the change");
});
