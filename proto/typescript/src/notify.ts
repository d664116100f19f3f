import { NotifyMethods } from "./generated/notify-methods.js";
import type { components, operations } from "./generated/notify.js";
import type { Body } from "./types.js";
import { presignBody, type UploadFields, type UploadOptions } from "./uploads.js";

/** Client of the service notify: emails, pushes and text messages from templates, broadcasts, devices, attachments. */
export class Notify extends NotifyMethods {
  /**
   * Upload an attachment.
   *
   * Presigns the file, uploads it, and returns the attachment. Then list its `attachmentId` in the `attachmentIds` of an email.
   * Failed attempts are repeated.
   *
   * @param fields - Name of the file and, if the file has no type, its media type.
   * @param file - The file.
   * @param options - Signal and progress.
   * @returns The attachment, with the status `uploaded`.
   * @throws ApiError 400 `VALIDATION_ERROR` if the file is too large, or its content does not match its type.
   */
  async uploadAttachment(
    fields: UploadFields<Body<operations["presignAttachment"]>>,
    file: Blob,
    options: UploadOptions = {},
  ): Promise<components["schemas"]["Attachment"]> {
    const call = options.signal && { signal: options.signal };
    const presigned = await this.presignAttachment(presignBody(fields, file), call);
    await this.put(presigned.uploadUrl, file, presigned.contentType, options);
    return this.getAttachment(presigned.attachmentId, call);
  }
}
