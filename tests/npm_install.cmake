# Installs the npm packages of a folder of tests, and copies its scripts (JavaScript and TypeScript), into the build tree:
# cmake -DSOURCE=... -DDEST=... [-DSHARED=...] -P npm_install.cmake. SHARED is another folder of scripts to copy.
# An unchanged lock file is installed only once. Fails with a message when npm or the registry is missing.
cmake_minimum_required(VERSION 3.25)

find_program(node node)
find_program(npm npm)
if(NOT node OR NOT npm)
  message(FATAL_ERROR "These tests need node (18 or newer) and npm. Install them: apt-get install nodejs npm")
endif()

file(MAKE_DIRECTORY ${DEST})
file(GLOB old ${DEST}/*.mjs ${DEST}/*.ts)
if(old)
  file(REMOVE ${old})
endif()
set(scripts)
foreach(folder ${SOURCE} ${SHARED})
  file(GLOB own ${folder}/*.mjs ${folder}/*.ts ${folder}/tsconfig.json)
  list(APPEND scripts ${own})
endforeach()
file(COPY ${scripts} DESTINATION ${DEST})
file(SHA256 ${SOURCE}/package-lock.json lock)
set(stamp ${DEST}/installed-${lock})
if(EXISTS ${stamp})
  return()
endif()

file(GLOB settings ${SOURCE}/.npmrc)
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json ${settings} DESTINATION ${DEST})
execute_process(
  COMMAND ${npm} ci --ignore-scripts --no-audit --no-fund --fetch-retries=4
  WORKING_DIRECTORY ${DEST}
  RESULT_VARIABLE result
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "These tests need packages of the npm registry, and `npm ci` failed (${result}). "
                      "Check that the registry is reachable.\n${output}")
endif()
file(TOUCH ${stamp})
