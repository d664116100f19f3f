// Prints the URLs of AWS's own presigner for the inputs in a JSON file (argv[2]), one per line and in order.
//
// Documented options turn off two defaults of the SDK: a CRC-32 of the body, and the request to return this CRC-32. The body is unknown
// when the URL is signed, so neither should be part of the signature. `content-type` is signed only if `signableHeaders` names it. `content-length` is always
// signed.
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
