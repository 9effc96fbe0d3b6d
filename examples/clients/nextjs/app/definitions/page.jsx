import { evaluateFlags, flagsClient, getDefinitions } from "@unleash/nextjs";
import { connection } from "next/server";

export default async function Page() {
  await connection();
  const definitions = await getDefinitions({ fetchOptions: { next: { revalidate: 15 } } });
  // A rejected token is not an error of getDefinitions(): all flags would be off.
  if (!definitions.features) throw new Error(`No flags: ${JSON.stringify(definitions)}`);

  const { toggles } = evaluateFlags(definitions, { userId: "7" });
  const flags = flagsClient(toggles);
  const isNew = flags.isEnabled("new-header");
  const colour = flags.getVariant("button-colour").name;
  return <p id="app">{`new-header: ${isNew}, button-colour: ${colour}`}</p>;
}
