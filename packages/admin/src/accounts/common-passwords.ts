// Passwords of at least 12 characters that many people choose, in lower case. Shorter ones are refused anyway.
const WORDS = [
  "adminadmin",
  "changeme",
  "charlie",
  "computer",
  "default",
  "dragon",
  "flags",
  "football",
  "iloveyou",
  "letmein",
  "master",
  "monkey",
  "passphrase",
  "password",
  "princess",
  "qwerty",
  "secret",
  "starwars",
  "sunshine",
  "superman",
  "temporary",
  "trustno1",
  "unleash",
  "unleash4all",
  "welcome",
  "whatever",
] as const;

const EXACT = new Set([
  "correcthorsebatterystaple",
  "iloveyousomuch",
  "mypasswordispassword",
  "nopassword123",
  "passwordpassword",
  "thisisapassword",
  "thisismypassword",
]);

const ROWS = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890123456789",
  "qwertyuiopasdfghjklzxcvbnm",
  "qazwsxedcrfvtgbyhnujmikolp",
  "1q2w3e4r5t6y7u8i9o0p",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
];

/** Whether a password is among those that are tried first: common words with digits and signs, sequences, repetitions. */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase().replaceAll(/\s/g, "");
  if (EXACT.has(text)) return true;
  const replaced = text.replaceAll("@", "a").replaceAll("0", "o").replaceAll("$", "s");
  return (
    isRepetition(text) ||
    isSequence(text) ||
    [text, replaced].some((each) => isOfWords(each.replaceAll(/[^a-z0-9]/g, "")))
  );
}

/** Whether a text consists only of common words, such as `passwordadmin`. */
function isOfWords(text: string): boolean {
  let rest = text;
  while (rest !== "") {
    const current = rest;
    const word = WORDS.filter((each) => current.startsWith(each)).toSorted(
      (one, other) => other.length - one.length,
    )[0];
    const end = /^\d+/.exec(rest)?.[0] ?? word;
    if (end === undefined) return false;
    rest = rest.slice(end.length);
  }
  return true;
}

/** Whether a text repeats one to four characters. */
function isRepetition(text: string): boolean {
  return /^(.{1,4})\1+.{0,3}$/su.test(text);
}

/** Whether a text follows the alphabet, the digits or a keyboard, in either direction. */
function isSequence(text: string): boolean {
  return ROWS.flatMap((row) => [row, row.split("").toReversed().join("")]).some((row) =>
    row.includes(text),
  );
}
