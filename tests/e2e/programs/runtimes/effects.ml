(* SPDX-License-Identifier: MIT *)
(* Runs fibers of OCaml's effects, which a scheduler resumes in turn. Each
   descends to a depth of its own and yields there. Counts its functions'
   calls. *)
open Effect
open Effect.Deep

type _ Effect.t += Yield : unit Effect.t

let fibers = 8
let rounds = 12
let costs = ref 0
let descents = ref 0
let yields = ref 0
let sum = ref 0

let[@inline never] cost_of item =
  incr costs;
  for i = 0 to 49 do
    sum := ((!sum * 31) + item + i) mod 10007
  done

let[@inline never] yield () =
  incr yields;
  perform Yield

let[@inline never] rec descend number depth =
  incr descents;
  if depth > 0 then begin
    descend number (depth - 1);
    ignore (Sys.opaque_identity depth)
  end
  else
    for _ = 1 to rounds do
      cost_of number;
      yield ()
    done

let queue : (unit -> unit) Queue.t = Queue.create ()

let start number =
  match_with
    (fun () -> descend number number)
    ()
    { retc = (fun () -> ());
      exnc = raise;
      effc =
        (fun (type a) (e : a Effect.t) ->
          match e with
          | Yield ->
              Some
                (fun (k : (a, unit) continuation) ->
                  Queue.push (fun () -> continue k ()) queue)
          | _ -> None) }

let () =
  for number = 0 to fibers - 1 do
    Queue.push (fun () -> start number) queue
  done;
  while not (Queue.is_empty queue) do
    (Queue.pop queue) ()
  done;
  Printf.printf "cost_of %d\nyield %d\ndescend %d\n" !costs !yields !descents;
  if !sum = 0 then exit 1
