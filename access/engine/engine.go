// Package engine has helpers for authors of engines. An engine implements [access.Engine]:
// for a protocol, as the packages in proto do, or around another Engine, as a cache does.
// Programs that only open URLs do not need it.
//
//	func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
//		switch req.Op {
//		case access.Get:
//			return engine.For(req).Result(c.open(ctx, req))
//		case access.Stat:
//			return engine.For(req).Result(engine.Found(c.stat(ctx, req)))
//		}
//		return nil, engine.Unsupported(req)
//	}
//
// The helpers by task:
//
//   - [For], [Found] and [Done] make the answer to a request, and [Unsupported] refuses it.
//   - [Fail], [FailReading], [Refusal] and [Reason] make errors.
//   - [Content], [Rewindable] and [PartName] are for the bytes that are sent.
//   - [Credentials] asks for a login, and [CheckTime] checks conditions.
//   - [Recover] and [CatchPanic] turn panics into errors.
//   - A [Tap] receives a copy of the bytes on the wire.
package engine
