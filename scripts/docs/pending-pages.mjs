/** Pages, relative to docs/, that are being written: links to them are not checked while they do not exist. */
export const PENDING_PAGES = [
  "deployment/container.md",
  "deployment/kubernetes.md",
  "deployment/monitoring.md",
  "deployment/npm.md",
  "deployment/systemd.md",
];
