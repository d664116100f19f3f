# Puts what the S3 tests need of npm, with their scripts, into DEST (in the build tree): cmake -DDEST=... -P npm_install.cmake
# An unchanged lock file is installed once. Without npm, or without a registry, this fails and says so.
cmake_minimum_required(VERSION 3.25)
set(source ${CMAKE_CURRENT_LIST_DIR})

find_program(node node)
find_program(npm npm)
if(NOT node OR NOT npm)
  message(FATAL_ERROR "The S3 tests need node (18 or newer) and npm, which are not installed: apt-get install nodejs npm")
endif()

file(MAKE_DIRECTORY ${DEST})
file(COPY ${source}/sdk_check.mjs ${source}/s3_server.mjs DESTINATION ${DEST})
file(SHA256 ${source}/package-lock.json lock)
set(stamp ${DEST}/installed-${lock})
if(EXISTS ${stamp})
  return()
endif()

file(COPY ${source}/package.json ${source}/package-lock.json DESTINATION ${DEST})
execute_process(
  COMMAND ${npm} ci --ignore-scripts --no-audit --no-fund --fetch-retries=4
  WORKING_DIRECTORY ${DEST}
  RESULT_VARIABLE result
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "The S3 tests need packages of the npm registry, and `npm ci` failed (${result}); "
                      "is the registry reachable?\n${output}")
endif()
file(TOUCH ${stamp})
