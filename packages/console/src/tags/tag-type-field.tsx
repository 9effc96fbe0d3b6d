import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { Select, toChoice } from "../ui/select.tsx";

interface TagTypeFieldProps {
  readonly value: string | null;
  readonly onChange: (type: string) => void;
}

export function TagTypeField(props: TagTypeFieldProps) {
  const { data: types = [] } = useQuery(queries.tagTypes());
  return <Select {...props} label="Type" choices={types.map(toChoice)} isRequired />;
}
