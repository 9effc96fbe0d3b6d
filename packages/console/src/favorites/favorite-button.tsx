import { useQuery } from "@tanstack/react-query";
import { Star } from "lucide-react";
import { Button } from "react-aria-components/Button";
import { sessionQuery } from "../session/session.ts";
import "./favorites.css";

interface FavoriteButtonProps {
  /** What is marked. */
  readonly name: string;
  readonly isFavorite: boolean;
  readonly onChange: (isFavorite: boolean) => void;
}

/** A star that marks something as a favourite of the user. Nothing for users with a token: they have no favourites. */
export function FavoriteButton({ name, isFavorite, onChange }: FavoriteButtonProps) {
  if (!useHasFavorites()) return null;
  return (
    <Button
      aria-label={`${name} is a favourite`}
      aria-pressed={isFavorite}
      className="favorite"
      onPress={() => onChange(!isFavorite)}
    >
      <Star aria-hidden />
    </Button>
  );
}

/** Whether the user can mark something: favourites belong to an account. */
export function useHasFavorites(): boolean {
  const { data: session } = useQuery(sessionQuery);
  return session !== undefined && session.user.id !== null;
}
