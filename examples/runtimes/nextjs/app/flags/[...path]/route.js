import { after } from "next/server";
import { getFlags } from "../../../lib/flags";

/** Responds to the clients in the browser. */
function handle(request) {
  return getFlags().fetch(request, { waitUntil: after });
}

export { handle as GET, handle as POST, handle as OPTIONS };
