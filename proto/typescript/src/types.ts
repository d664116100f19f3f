/** The types of one operation: its JSON response, body and query parameters. */

type Contents<Operation> = Operation extends { responses: infer Responses } ? Responses[keyof Responses] : never;
type Json<Response> = Response extends { content: { "application/json": infer Value } } ? Value : never;

/** The JSON that an operation returns. */
export type Result<Operation> = Json<Contents<Operation>>;

/** The JSON body of an operation. */
export type Body<Operation> = Operation extends { requestBody?: infer Request }
  ? NonNullable<Request> extends { content: { "application/json": infer Value } }
    ? Value
    : never
  : never;

/** The query parameters of an operation. */
export type Query<Operation> = Operation extends { parameters: { query?: infer Parameters } } ? NonNullable<Parameters> : never;

/** The type of the items of a list. */
export type Items<Page, Name extends keyof Page> = Page[Name] extends readonly (infer Item)[] ? Item : never;
