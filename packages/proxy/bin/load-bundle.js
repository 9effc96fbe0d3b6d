// The program and its dependencies in one file, which the build writes.

import { describeBundle } from "flags-server-kit/bundle";

const url = new URL("../dist/bundle/flags-proxy.js", import.meta.url);

export const bundle = describeBundle(url, (name) => import(name));
