// What AWS's own presigner makes of the inputs in a JSON file (argv[2]): one address a line, in their order.
//
// Two of the SDK's defaults are turned off by its documented options, since they would bind more than an upload or a
// download address should: a CRC-32 of the (unknown) body, and asking for it back. `content-type` is signed only when
// it is named in `signableHeaders`; `content-length` always is.
import { readFileSync } from "node:fs";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";

for (const input of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const client = new S3Client({
    region: input.region,
    credentials: {
      accessKeyId: input.accessKeyId,
      secretAccessKey: input.secretAccessKey,
      ...(input.sessionToken ? { sessionToken: input.sessionToken } : {}),
    },
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...(input.endpoint ? { endpoint: input.endpoint, forcePathStyle: true } : {}),
  });
  const object = { Bucket: input.bucket, Key: input.key };
  const command =
    input.operation === "put"
      ? new PutObjectCommand({ ...object, ContentLength: input.contentLength, ContentType: input.contentType })
      : new GetObjectCommand({
          ...object,
          ResponseCacheControl: "private, no-store",
          ResponseContentDisposition: input.contentDisposition,
        });
  const url = await getSignedUrl(client, command, {
    signingDate: new Date(input.signingDate),
    expiresIn: input.expiresIn,
    signableHeaders: new Set(["content-type"]),
  });
  console.log(url);
}
