import { getFrontendFlags } from "@unleash/nextjs";
import { connection } from "next/server";
import { Flags } from "./flags";
import { Provider } from "./provider";

export default async function Page() {
  // Evaluates for each request. Without it, Next.js renders the page once, when it builds.
  await connection();
  const context = { userId: "7" };
  const { toggles } = await getFrontendFlags({ context });
  return (
    <Provider context={context} toggles={toggles}>
      <Flags />
    </Provider>
  );
}
