import { cookies } from "next/headers";
import { after } from "next/server";
import { getFlags } from "../lib/flags";
import { Flags } from "./flags";
import { Provider } from "./provider";

export default async function Page({ searchParams }) {
  // First, because they make Next.js render the page for each request, and not when it builds.
  const { user: userId } = await searchParams;
  const sessionId = (await cookies()).get("session")?.value;
  const app = getFlags();
  await app.flagsReady({ waitUntil: after });
  const { bootstrap } = app.evaluate({ userId, sessionId }, { waitUntil: after });
  return (
    <Provider bootstrap={bootstrap}>
      <Flags />
    </Provider>
  );
}
