;; Decides splits by the same id, four at a time: a lane for each. A row is 16 bytes, a
;; word for each lane. quads.ts says what is in the rows of a quad.
(module
  ;; It never grows. Views of a memory that has grown are empty, so that V8 would have to look, at each
  ;; use of any view, whether it is one of those.
  (memory (export "memory") 64 64)

  ;; Goes through quads, of which there is one or more, and lists a row of outcomes for each. All
  ;; addresses are in bytes. The blocks are those of the id, as murmur3.ts cuts it: a row with the
  ;; first one, the tail, the length and whether there is more than the first; then the whole ones.
  (func (export "decide")
    (param $quad i32) (param $quadsEnd i32) (param $blocks i32) (param $blocksEnd i32)
    (param $list i32)
    (local $first v128) (local $tail v128) (local $length v128) (local $hasMore i32)
    (local $block i32) (local $rangeCount i32) (local $size v128) (local $hash v128)
    (local $low v128) (local $high v128) (local $bucket v128) (local $outcomes v128)
    (local.set $first (v128.load32_splat (local.get $blocks)))
    (local.set $tail (v128.load32_splat offset=4 (local.get $blocks)))
    (local.set $length (v128.load32_splat offset=8 (local.get $blocks)))
    (local.set $hasMore (i32.load offset=12 (local.get $blocks)))
    (local.set $blocks (i32.add (local.get $blocks) (i32.const 16)))
    (loop $nextQuad
      ;; Hashing goes on behind the prefix of each split, as hashBlocks() has it.
      (local.set $hash
        (i32x4.mul
          (v128.or (v128.load offset=32 (local.get $quad)) (local.get $first))
          (i32x4.splat (i32.const 0xcc9e2d51))))
      (local.set $hash
        (v128.xor
          (v128.load offset=16 (local.get $quad))
          (i32x4.mul
            (v128.or
              (i32x4.shl (local.get $hash) (i32.const 15))
              (i32x4.shr_u (local.get $hash) (i32.const 17)))
            (i32x4.splat (i32.const 0x1b873593)))))
      (if (local.get $hasMore)
        (then
          (local.set $block (local.get $blocks))
          (loop $nextBlock
            (local.set $hash
              (i32x4.add
                (i32x4.mul
                  (v128.or
                    (i32x4.shl (local.get $hash) (i32.const 13))
                    (i32x4.shr_u (local.get $hash) (i32.const 19)))
                  (i32x4.splat (i32.const 5)))
                (i32x4.splat (i32.const 0xe6546b64))))
            (if (i32.lt_u (local.get $block) (local.get $blocksEnd))
              (then
                (local.set $hash
                  (v128.xor (local.get $hash) (v128.load32_splat (local.get $block))))
                (local.set $block (i32.add (local.get $block) (i32.const 4)))
                (br $nextBlock))))
          (local.set $hash (v128.xor (local.get $hash) (local.get $tail)))))
      (local.set $hash
        (v128.xor
          (local.get $hash)
          (i32x4.add (v128.load offset=48 (local.get $quad)) (local.get $length))))
      (local.set $hash
        (i32x4.mul
          (v128.xor (local.get $hash) (i32x4.shr_u (local.get $hash) (i32.const 16)))
          (i32x4.splat (i32.const 0x85ebca6b))))
      (local.set $hash
        (i32x4.mul
          (v128.xor (local.get $hash) (i32x4.shr_u (local.get $hash) (i32.const 13)))
          (i32x4.splat (i32.const 0xc2b2ae35))))
      (local.set $hash
        (v128.xor (local.get $hash) (i32x4.shr_u (local.get $hash) (i32.const 16))))

      ;; The rest of the hash by the size is the bucket, counted from 0. There is no division of whole
      ;; numbers here. That of 64-bit floating-point numbers, rounded down, is exact: two quotients of
      ;; 32-bit numbers by one size are further apart than its error.
      (local.set $size (f64x2.splat (f64.convert_i32_s (i32.load (local.get $quad)))))
      (local.set $low (f64x2.convert_low_i32x4_u (local.get $hash)))
      (local.set $high
        (f64x2.convert_low_i32x4_u
          (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15
            (local.get $hash) (local.get $hash))))
      (local.set $low
        (f64x2.sub
          (local.get $low)
          (f64x2.mul
            (f64x2.floor (f64x2.div (local.get $low) (local.get $size)))
            (local.get $size))))
      (local.set $high
        (f64x2.sub
          (local.get $high)
          (f64x2.mul
            (f64x2.floor (f64x2.div (local.get $high) (local.get $size)))
            (local.get $size))))
      ;; With 2^52 added, the lower word of such a number is the whole number that it is.
      (local.set $bucket
        (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
          (f64x2.add (local.get $low) (f64x2.splat (f64.const 0x1p52)))
          (f64x2.add (local.get $high) (f64x2.splat (f64.const 0x1p52)))))

      ;; The outcome is that of the last range that does not start behind the bucket.
      (local.set $rangeCount (i32.load offset=4 (local.get $quad)))
      (local.set $quad (i32.add (local.get $quad) (i32.const 64)))
      (loop $nextRange
        (local.set $outcomes
          (v128.bitselect
            (v128.load offset=16 (local.get $quad))
            (local.get $outcomes)
            (i32x4.ge_s (local.get $bucket) (v128.load (local.get $quad)))))
        (local.set $quad (i32.add (local.get $quad) (i32.const 32)))
        (local.set $rangeCount (i32.sub (local.get $rangeCount) (i32.const 1)))
        (br_if $nextRange (local.get $rangeCount)))
      (v128.store (local.get $list) (local.get $outcomes))
      (local.set $list (i32.add (local.get $list) (i32.const 16)))
      (br_if $nextQuad (i32.lt_u (local.get $quad) (local.get $quadsEnd))))))
