;; What is done for each flag of an answer: its piece is chosen, and copied to the body. What the
;; functions are called with is in bytes. Addresses of pieces are in words of 4 bytes.
(module
  (memory (export "memory") 1 65536 shared)

  ;; Goes through records of stretches, of which there is one or more, and lists a piece for each.
  ;; What is in records and marks, stretch-table.ts says. The totals are a length and the two halves of
  ;; an entity tag, and are added to. Returns how many pieces do not exist yet: instead of these, it
  ;; is listed where their mark is, in words and with the sign turned.
  (func (export "choose")
    (param $record i32) (param $recordsEnd i32) (param $outcomes i32) (param $list i32)
    (param $totals i32) (result i32)
    (local $flagsEnd i32) (local $mark i32) (local $piece i32) (local $factor i32)
    (local $byteLength i32) (local $high i32) (local $low i32) (local $missing i32)
    (local.set $byteLength (i32.load (local.get $totals)))
    (local.set $high (i32.load offset=4 (local.get $totals)))
    (local.set $low (i32.load offset=8 (local.get $totals)))
    (loop $nextStretch
      (local.set $mark (i32.load (local.get $record)))
      (local.set $flagsEnd (i32.load offset=4 (local.get $record)))
      (local.set $record (i32.add (local.get $record) (i32.const 8)))
      (local.set $flagsEnd (i32.add (local.get $record) (local.get $flagsEnd)))
      (if (i32.lt_u (local.get $record) (local.get $flagsEnd))
        (then
          (loop $nextFlag
            (local.set $mark
              (i32.add
                (local.get $mark)
                (i32.mul
                  (i32.load
                    (i32.add (local.get $outcomes) (i32.load (local.get $record))))
                  (i32.load offset=4 (local.get $record)))))
            (local.set $record (i32.add (local.get $record) (i32.const 8)))
            (br_if $nextFlag (i32.lt_u (local.get $record) (local.get $flagsEnd))))))
      (local.set $piece (i32.load (local.get $mark)))
      (if (i32.eqz (local.get $piece))
        (then
          (local.set $missing (i32.add (local.get $missing) (i32.const 1)))
          (local.set $piece
            (i32.sub (i32.const 0) (i32.shr_u (local.get $mark) (i32.const 2))))))
      (i32.store (local.get $list) (local.get $piece))
      (local.set $list (i32.add (local.get $list) (i32.const 4)))
      (local.set $byteLength
        (i32.add (local.get $byteLength) (i32.load offset=4 (local.get $mark))))
      (local.set $factor (i32.load offset=8 (local.get $mark)))
      (local.set $high
        (i32.add
          (i32.mul (local.get $high) (local.get $factor))
          (i32.load offset=12 (local.get $mark))))
      (local.set $low
        (i32.add
          (i32.mul (local.get $low) (local.get $factor))
          (i32.load offset=16 (local.get $mark))))
      (br_if $nextStretch (i32.lt_u (local.get $record) (local.get $recordsEnd))))
    (i32.store (local.get $totals) (local.get $byteLength))
    (i32.store offset=4 (local.get $totals) (local.get $high))
    (i32.store offset=8 (local.get $totals) (local.get $low))
    (local.get $missing))

  ;; Copies the pieces of a list, which is not empty, to one place, one behind the other. The word at
  ;; the address of a piece is its length, and its bytes are behind it. Behind the list are the
  ;; addresses of 8 more, which are not copied. The memory must reach 132 bytes further than the
  ;; address of any of them. Returns where the copies end.
  (func (export "gather") (param $list i32) (param $listEnd i32) (param $to i32) (result i32)
    (local $piece i32)
    (local $length i32)
    (local $ahead i32)
    (loop $next
      ;; Looks at the piece that is 8 further on, so that it comes from memory in the meantime: its
      ;; first three lines, as most pieces are no longer.
      (local.set $ahead (i32.shl (i32.load offset=32 (local.get $list)) (i32.const 2)))
      (drop (i32.load (local.get $ahead)))
      (drop (i32.load offset=64 (local.get $ahead)))
      (drop (i32.load offset=128 (local.get $ahead)))
      (local.set $piece (i32.shl (i32.load (local.get $list)) (i32.const 2)))
      (local.set $length (i32.load (local.get $piece)))
      (memory.copy
        (local.get $to)
        (i32.add (local.get $piece) (i32.const 4))
        (local.get $length))
      (local.set $to (i32.add (local.get $to) (local.get $length)))
      (local.set $list (i32.add (local.get $list) (i32.const 4)))
      (br_if $next (i32.lt_u (local.get $list) (local.get $listEnd))))
    (local.get $to)))
