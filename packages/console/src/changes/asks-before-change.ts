/** Whether people have to confirm a change in an environment first. Nothing else decides it. */
export function asksBeforeChange({ type }: { readonly type: string }): boolean {
  return type === "production";
}
