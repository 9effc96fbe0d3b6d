import "./production-mark.css";

/** Marks environments of type production. NOTE: a shape and not only a colour, which not everybody can tell from others. */
export function ProductionMark() {
  return (
    <span className="production-mark" aria-hidden>
      PROD
    </span>
  );
}
