// The proxy as `flags-proxy` runs it, on a free port, with the options of the first message.

import { once } from "node:events";
import { start } from "flags-proxy";
import { reportToParent } from "./child.mjs";

const [options] = await once(process, "message");
const proxy = await start(options);
reportToParent(proxy.port);
