// Starts the old proxy like its own start script, but only on 127.0.0.1.

import proxy from "@unleash/proxy";

proxy.createApp({}).listen(Number(process.env.PORT), "127.0.0.1");
