#!/bin/sh
# Writes random passwords, tokens and keys to ./secrets, for compose.yaml. Never replaces an existing file.
set -eu
cd "$(dirname "$0")"

random_hex() {
  od -An -N "$1" -tx1 /dev/urandom | tr -d ' \n'
}

# Usage: write_secret NAME TEXT
write_secret() {
  if [ -e "secrets/$1" ]; then
    echo "Kept secrets/$1"
    return
  fi
  # The containers run as other users, who must be able to read the file. Other users of this machine cannot,
  # because only the owner can open the directory.
  (umask 022 && printf '%s\n' "$2" >"secrets/$1.new")
  mv "secrets/$1.new" "secrets/$1"
  echo "Created secrets/$1"
}

mkdir -p secrets
chmod 700 secrets
write_secret postgres-password "$(random_hex 24)"
write_secret database-url "postgres://flags:$(cat secrets/postgres-password)@postgres:5432/flags"
write_secret admin-token "*:*.$(random_hex 28)"
write_secret backend-token "*:production.$(random_hex 28)"
# Client keys are public: they are part of your web page or app.
write_secret client-keys "$(random_hex 16)"
