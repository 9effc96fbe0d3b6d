using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "program", worker = .program),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", service = "program", http = ())],
);

const program :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-17",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [(name = "OPTIONS", fromEnvironment = "OPTIONS")],
);
