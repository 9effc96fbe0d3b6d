import type { ReactNode } from "react";
import "./badge.css";

interface BadgeProps {
  readonly children: ReactNode;
  /** @default "neutral" */
  readonly kind?: "neutral" | "good" | "bad" | "warning" | "accent";
}

export function Badge({ children, kind = "neutral" }: BadgeProps) {
  return <span className={`badge badge-${kind}`}>{children}</span>;
}
