;; Copies pieces that lie anywhere in the memory to one place, one behind the other.
(module
  (memory (export "memory") 1)
  ;; Where a list of addresses begins and ends, which is not empty, and where to copy those pieces to.
  ;; The addresses are in words of 4 bytes; the word there is the length, and the bytes are behind it.
  ;; Returns where the copies end.
  (func (export "gather") (param $list i32) (param $listEnd i32) (param $to i32) (result i32)
    (local $piece i32)
    (local $length i32)
    (loop $next
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
