import type { ReactNode } from "react";
import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import "./banner.css";

const ICONS = { error: CircleAlert, warning: TriangleAlert, info: Info, success: CircleCheck };

interface BannerProps {
  readonly kind: keyof typeof ICONS;
  readonly children: ReactNode;
}

/** A message within a page or dialog. Screen readers announce errors. */
export function Banner({ kind, children }: BannerProps) {
  const Icon = ICONS[kind];
  return (
    <div className={`banner banner-${kind}`} role={kind === "error" ? "alert" : "status"}>
      <Icon aria-hidden />
      <div>{children}</div>
    </div>
  );
}
